import type { Channel, Wire } from '../channels/channel.ts';
import { planSafely } from '../compose/isolated-plan.ts';
import { withStanding } from '../compose/kept-media.ts';
import type { Step } from '../compose/plan.ts';
import {
  type MediaLookUp,
  type ReceivedFile,
  mayHaveMedia,
  withMedia,
} from '../compose/received-media.ts';
import { referencesOf, resolve } from '../compose/references.ts';
import { parseJson } from '../lib/json.ts';
import type { Activity } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';
import type { Taken } from '../store/turn.ts';

/** How many messages of several parts are remembered. */
const REMEMBERED = 8;

/** A message cannot be written for its channel, whatever is tried. */
export class PlanFault extends Error {
  override name = 'PlanFault';
}

/** What is known of earlier messages, by what the caller calls them. */
export interface Earlier {
  /** The channel's ids; undefined for what is no message of ours. */
  ids(name: string): Promise<readonly string[] | undefined>;
  /** The activities that made it what it is, the last one first. */
  activities(name: string): Promise<readonly string[]>;
}

/** How a message goes out: step by step, with the received files in it. */
export interface Planned {
  steps: readonly Step[];
  files: readonly ReceivedFile[];
  /** The activity as the channel is given it. */
  json: string;
}

/** How messages go out. Those of several parts are remembered, so as not to be laid out anew for each part. */
export class Plans {
  readonly #remembered = new Map<Id, Planned>();

  /** The same steps each time, so that a retry goes on where it was. Rejects with a PlanFault, or as what is looked up does. */
  async planOf(
    message: Taken,
    { channel, credentials }: { channel: Channel; credentials: Credentials },
    earlierOf: Earlier,
    media?: MediaLookUp,
  ): Promise<Planned> {
    const { id, activity: json, recipient } = message;
    // What is told of events goes out as it is: the application has the token.
    const mayHave = channel.insists === undefined && mayHaveMedia(json);
    if (channel.forms === 'whole' && !mayHave) return whole(json, []);
    const remembered = this.#remembered.get(id);
    if (remembered) return remembered;
    // As it was read when it was accepted: ids may be larger than JavaScript's numbers.
    const { activity: said, keepsFiles } = await withStanding(
      parseJson(json) as Activity,
      channel,
      earlierOf.activities,
    );
    const written = { activity: said, text: json };
    const { applicationId } = message;
    const none = { ...written, files: [], missing: [] };
    const found =
      (mayHave || keepsFiles) && media ? await withMedia(written, applicationId, media) : none;
    const { activity, text, files, missing } = found;
    if (missing.length > 0) {
      throw new PlanFault(`a received file in it is gone: ${missing.join(', ')}`);
    }
    if (channel.forms === 'whole') return whole(text, files);
    const earlier = await resolve(referencesOf(activity), earlierOf.ids);
    const received = files.map(({ address }) => address);
    const given = { recipient, credentials, earlier, received, keepsFiles };
    const steps = await layOut(activity, channel, given);
    const planned = { steps, files, json };
    if (steps.length > 1) this.#remember(id, planned);
    return planned;
  }

  clear(): void {
    this.#remembered.clear();
  }

  #remember(id: Id, planned: Planned): void {
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size >= REMEMBERED)
      this.#remembered.delete(oldest);
    this.#remembered.set(id, planned);
  }
}

async function layOut(...given: Parameters<typeof planSafely>): Promise<Step[]> {
  try {
    return (await planSafely(...given)).steps;
  } catch (error) {
    const [, { title }] = given;
    const why = error instanceof Error ? error.message : String(error);
    throw new PlanFault(`it cannot be written for ${title}: ${why}`, { cause: error });
  }
}

function whole(json: string, files: readonly ReceivedFile[]): Planned {
  return { steps: [{ does: 'send', wire: new WholeWire(json) }], files, json };
}

/** An activity as it is, read only if somebody wants to know what is in it. */
class WholeWire implements Wire {
  readonly #json: string;

  constructor(json: string) {
    this.#json = json;
  }

  get body(): Wire['body'] {
    return JSON.parse(this.#json) as Wire['body'];
  }
}
