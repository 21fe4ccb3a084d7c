import type { Channel, Wire } from '../channels/channel.ts';
import { planSafely } from '../compose/isolated-plan.ts';
import type { Step } from '../compose/plan.ts';
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

/** How messages go out. Those of several parts are remembered, so as not to be laid out anew for each part. */
export class Plans {
  readonly #remembered = new Map<Id, Step[]>();

  /** The same steps each time, so that a retry goes on where it was. Rejects with a PlanFault, or as `lookUp` does. */
  async stepsOf(
    message: Taken,
    { channel, credentials }: { channel: Channel; credentials: Credentials },
    lookUp: (name: string) => Promise<readonly string[] | undefined>,
  ): Promise<Step[]> {
    const { id, activity: json, recipient } = message;
    if (channel.forms === 'whole') return [{ does: 'send', wire: new WholeWire(json) }];
    const remembered = this.#remembered.get(id);
    if (remembered) return remembered;
    // As it was read when it was accepted: ids may be larger than JavaScript's numbers.
    const activity = parseJson(json) as Activity;
    const earlier = await resolve(referencesOf(activity), lookUp);
    const steps = await layOut(activity, channel, { recipient, credentials, earlier });
    if (steps.length > 1) this.#remember(id, steps);
    return steps;
  }

  clear(): void {
    this.#remembered.clear();
  }

  #remember(id: Id, steps: Step[]): void {
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size >= REMEMBERED)
      this.#remembered.delete(oldest);
    this.#remembered.set(id, steps);
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
