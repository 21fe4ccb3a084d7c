import type { Channel, VendorRequest } from '../channels/channel.ts';
import { withCurrentMedia } from '../compose/current-media.ts';
import { planSafely } from '../compose/isolated-plan.ts';
import type { Step } from '../compose/plan.ts';
import {
  type MediaLookup,
  type ReceivedFile,
  mayHaveMedia,
  withMedia,
} from '../compose/received-media.ts';
import { referencesOf, resolve } from '../compose/references.ts';
import { templateStep } from '../compose/template-step.ts';
import { withContent } from '../compose/templated.ts';
import { parseJson } from '../lib/json/parse-json.ts';
import { type Activity, endOf } from '../model/activity.ts';
import type { Credentials } from '../model/integration.ts';
import { readInstructions } from '../model/sending/instructions.ts';
import type { SentPart } from '../model/sending/sent-part.ts';
import type { ChosenTemplate } from '../model/templates/template.ts';
import type { Millis } from '../model/timestamp.ts';
import type { ClaimedMessage } from '../store/delivery/dispatch-round.ts';
import type { Store } from '../store/store.ts';

const MAX_CACHED_PLANS = 8;

/** A message cannot be rendered for its channel. Retrying does not help. */
export class PlanFault extends Error {
  override name = 'PlanFault';
}

/** Looks up earlier messages by the caller's id for them. */
export interface EarlierMessages {
  /** The sent parts; undefined for a message that is not ours. */
  parts(name: string): Promise<readonly SentPart[] | undefined>;
  /** The activities that created and changed it, newest first. */
  activities(name: string): Promise<readonly string[]>;
}

export const earlierOf = (message: ClaimedMessage, { deliveries }: Store): EarlierMessages => ({
  parts: (name) => deliveries.sentParts(message, name),
  activities: (name) => deliveries.activities(message, name),
});

/** The steps of a message, and the received files in it. */
export interface PlannedMessage {
  steps: readonly Step[];
  files: readonly ReceivedFile[];
  /** The activity as the channel gets it. */
  json: string;
}

interface PlanContext {
  media?: MediaLookup | undefined;
  template?: ChosenTemplate | undefined;
  /** When the vendor must stop trying, if before the end of the activity. */
  validUntil?: Millis | undefined;
}

const earliest = (...times: (Millis | undefined)[]): Millis | undefined =>
  times.reduce((first, time) => (time === undefined ? first : Math.min(first ?? time, time)));

/**
 * Plans the vendor requests of a message. Plans of several parts are cached, so that they are not rendered again for
 * each part.
 */
export class Plans {
  /** By message, route and expiry. */
  readonly #cached = new Map<string, PlannedMessage>();

  /**
   * Returns the same steps each time, so that a retry continues where it stopped. Rejects with a PlanFault, or with the
   * error of a lookup.
   */
  async planOf(
    message: ClaimedMessage,
    { channel, credentials }: { channel: Channel; credentials: Credentials },
    earlier: EarlierMessages,
    { media, template, validUntil }: PlanContext = {},
  ): Promise<PlannedMessage> {
    const { id, activity: given, recipient, route = null } = message;
    if (template?.source === 'vendor') {
      const { options = {} } = readInstructions(message.instructions);
      const expiresAt = earliest(endOf(parseJson(given) as Activity), validUntil);
      const to = { recipient, credentials, options, ...(expiresAt !== undefined && { expiresAt }) };
      return { steps: [templateStep(channel, template.filled, to)], files: [], json: given };
    }
    const json = template ? withContent(given, template.object) : given;
    // Webhook deliveries keep the URLs of files: the application has the token to fetch them.
    const mayHaveFiles = channel.retryForever === undefined && mayHaveMedia(json);
    if (channel.renderers === 'whole' && !mayHaveFiles) return whole(json, []);
    // Two routes of a message may have the same integration.
    const key = `${id} ${route} ${validUntil}`;
    const cached = this.#cached.get(key);
    if (cached) return cached;
    // Parsed as on acceptance: ids may exceed JavaScript's safe integers.
    const { activity: current, keepsFiles } = await withCurrentMedia(
      parseJson(json) as Activity,
      channel,
      earlier.activities,
    );
    const draft = { activity: current, text: json };
    const { applicationId } = message;
    const none = { ...draft, files: [], missing: [] };
    const resolved =
      (mayHaveFiles || keepsFiles) && media ? await withMedia(draft, applicationId, media) : none;
    const { activity, text, files, missing } = resolved;
    if (missing.length > 0) {
      throw new PlanFault(`a received file in it is gone: ${missing.join(', ')}`);
    }
    if (channel.renderers === 'whole') return whole(text, files);
    const referenced = await resolve(referencesOf(activity), earlier.parts);
    const received = files.map(({ signedUrl }) => signedUrl);
    const { options = {} } = readInstructions(message.instructions);
    const expiresAt = earliest(endOf(activity), validUntil);
    const input = {
      recipient,
      credentials,
      options,
      expiresAt,
      earlier: referenced,
      received,
      keepsFiles,
    };
    const steps = await planOrFault(activity, channel, input);
    const planned = { steps, files, json };
    if (steps.length > 1) this.#cache(key, planned);
    return planned;
  }

  clear(): void {
    this.#cached.clear();
  }

  #cache(key: string, planned: PlannedMessage): void {
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined && this.#cached.size >= MAX_CACHED_PLANS) this.#cached.delete(oldest);
    this.#cached.set(key, planned);
  }
}

async function planOrFault(...input: Parameters<typeof planSafely>): Promise<Step[]> {
  try {
    return (await planSafely(...input)).steps;
  } catch (error) {
    const [, { title }] = input;
    const why = error instanceof Error ? error.message : String(error);
    throw new PlanFault(`the message cannot be rendered for ${title}: ${why}`, { cause: error });
  }
}

function whole(json: string, files: readonly ReceivedFile[]): PlannedMessage {
  return { steps: [{ does: 'send', request: new WholeRequest(json) }], files, json };
}

/** An unrendered activity, parsed only on access: most channels of this kind send the JSON as it is. */
class WholeRequest implements VendorRequest {
  readonly #json: string;

  constructor(json: string) {
    this.#json = json;
  }

  get body(): VendorRequest['body'] {
    return JSON.parse(this.#json) as VendorRequest['body'];
  }
}
