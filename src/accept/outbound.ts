import { mayHaveMedia } from '../compose/received-media.ts';
import { batchLoad } from '../lib/runtime/batch-load.ts';
import { Cache } from '../lib/runtime/cache.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { GroupCommit } from '../lib/runtime/group-commit.ts';
import { type Tracer, within } from '../lib/telemetry/tracing.ts';
import { endOf } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { Message, NewMessage } from '../model/message.ts';
import { writeInstructions } from '../model/sending/instructions.ts';
import { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Accepted, IdempotencyKey, Submission } from '../store/engine.ts';
import { AlreadyAnswered, isRefused } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { consentKeyOf, recipientSuppressed } from './consent.ts';
import type { Draft } from './draft.ts';
import { checkChange, objectIdOf } from './earlier.ts';
import type { OutboundMedia } from './media.ts';
import { checkOptions } from './options.ts';
import { type Preview, checkMedia, previewOf } from './preview.ts';
import { type Candidate, checkDeliverable, route, toCandidate } from './routing.ts';

/** Returned to the sender once a message is on disk. */
export type AcceptedMessage = Pick<
  Message,
  'id' | 'createdAt' | 'integrationId' | 'applicationId'
> & { state: 'queued' | 'suppressed' };

/** Maximum age of cached integrations if no change was seen. */
const MAX_AGE_MS = 60_000;
const MAX_CACHED_APPLICATIONS = 50_000;
/** Applications per statement when reading integrations. */
const MAX_APPLICATIONS_PER_READ = 100;

/** Weights: the characters of the activities plus a constant per message, which approximates memory and commit time. */
const MAX_PER_COMMIT = 1024 * 1024;
const MAX_WAITING = 64 * 1024 * 1024;
const MESSAGE_WEIGHT = 500;

function weightOf({ messages }: Submission): number {
  return messages.reduce((sum, { activity }) => sum + MESSAGE_WEIGHT + activity.length, 0);
}

export interface AcceptOptions {
  idempotency?: IdempotencyKey | undefined;
  withSuppressed?: boolean;
  trace?: string | null;
}

/** Accepts outgoing messages: routes, stores, then acknowledges them. */
export class Outbound {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #commits: GroupCommit<Submission, Accepted>;
  readonly #integrations: Cache<Id, Candidate[]>;
  readonly #accepted: (message: NewMessage) => void;
  readonly #tracer: Tracer | undefined;
  readonly #media: OutboundMedia | undefined;

  /** `accepted` is called for each new message. */
  constructor(
    store: Store,
    clock: Clock,
    accepted: (message: NewMessage) => void = () => {},
    tracer?: Tracer,
    media?: OutboundMedia,
    changes = new ChangeWatch(store, clock),
  ) {
    this.#clock = clock;
    this.#store = store;
    this.#accepted = accepted;
    this.#tracer = tracer;
    this.#media = media;
    const load = batchLoad(
      (ids: readonly Id[]) => store.integrations.listOutlines(ids),
      MAX_APPLICATIONS_PER_READ,
    );
    this.#integrations = new Cache(async (id) => ((await load(id)) ?? []).map(toCandidate), {
      freshness: changes,
      dependsOn: (applicationId) => [applicationId],
      maxAgeMs: MAX_AGE_MS,
      maxEntries: MAX_CACHED_APPLICATIONS,
      now: () => clock.elapsed(),
    });
    changes.attach(this.#integrations);
    this.#commits = new GroupCommit((submissions) => store.messages.accept(submissions), {
      maxPerCommit: MAX_PER_COMMIT,
      maxWaiting: MAX_WAITING,
      maxConcurrent: store.engine.maxConcurrentAccepts,
      isPoisoned: isRefused,
      weigh: weightOf,
    });
  }

  /**
   * Stores all drafts or none. Throws a Problem for the first invalid one, and AlreadyAnswered if the
   * idempotency key was used before. `withSuppressed` also stores messages that their recipients do not accept.
   * `trace` is the span of the request.
   */
  async accept(
    applicationId: Id,
    drafts: readonly Draft[],
    { idempotency, withSuppressed = false, trace = null }: AcceptOptions = {},
  ): Promise<AcceptedMessage[]> {
    const known = this.#integrations.get(applicationId);
    const integrations = known instanceof Promise ? await known : known;
    const createdAt = this.#clock.now();
    const messages: NewMessage[] = [];
    for (const draft of drafts) {
      const { activity, text, pointer } = draft;
      const recipient = String(activity.to.id);
      const integration = route(activity, integrations, pointer);
      checkDeliverable(integration, activity, recipient, pointer);
      const message: NewMessage = {
        applicationId,
        integrationId: integration.id,
        recipient,
        activity: text,
        instructions: writeInstructions({
          options: checkOptions(integration, draft),
          ...(integration.mode === 'sandbox' && { sandbox: true }),
          ...(draft.category === 'marketing' && { marketing: true }),
        }),
        category: draft.category ?? null,
        consentKey: consentKeyOf(integration, activity, recipient),
        objectId: objectIdOf(activity),
        type: activity.type,
        expiresAt: endOf(activity) ?? null,
        createdAt,
        trace,
      };
      // The message it changes may precede it in the same request.
      if (activity.type !== 'Create' && !messages.some((other) => creates(other, message))) {
        await checkChange(this.#store, applicationId, integration, activity, recipient, pointer);
      }
      if (this.#media && mayHaveMedia(text)) {
        await checkMedia(this.#store, applicationId, integration, draft, this.#media);
      }
      messages.push(message);
    }
    const submission = { messages, withSuppressed, ...(idempotency && { idempotency }) };
    const accepted = await this.#commit(submission, trace);
    if ('repeated' in accepted) throw new AlreadyAnswered('the messages were already accepted');
    if ('refused' in accepted) throw recipientSuppressed(drafts[accepted.refused]?.pointer);
    for (const message of messages) this.#accepted(message);
    const { ids, suppressed } = accepted;
    if (suppressed.length > 0) await this.#suppress(applicationId, ids, suppressed);
    return messages.map(({ integrationId }, i) => ({
      id: ids[i] ?? 0,
      createdAt,
      integrationId,
      applicationId,
      state: suppressed.includes(i) ? 'suppressed' : 'queued',
    }));
  }

  /** Settles messages at once that delivery would not send either. */
  async #suppress(applicationId: Id, ids: readonly Id[], positions: readonly number[]) {
    const own = positions.flatMap((position) => ids[position] ?? []);
    await this.#store.lanes.suppress(applicationId, own, this.#clock.now());
  }

  #commit(submission: Submission, parent: string | null): Promise<Accepted> {
    if (parent === null) return this.#commits.submit(submission);
    const attributes = { 'messaging.batch.message_count': submission.messages.length };
    const span = this.#tracer?.start('commit messages', { kind: 'internal', parent, attributes });
    return within(span, () => this.#commits.submit(submission));
  }

  /** Renders a message without storing or sending it. */
  async preview(applicationId: Id, draft: Draft): Promise<Preview> {
    const integrations = await this.#integrations.get(applicationId);
    const candidate = route(draft.activity, integrations, draft.pointer);
    return previewOf(this.#store, applicationId, candidate, draft, this.#media);
  }

  /** Call when the integrations of an application change. */
  forget(applicationId: Id): void {
    this.#integrations.drop(new Set([applicationId]));
  }
}

/** Whether `creation` creates the object that `change` updates or deletes. */
function creates(creation: NewMessage, change: NewMessage): boolean {
  const isSame = creation.objectId === change.objectId && creation.recipient === change.recipient;
  return isSame && creation.type === 'Create' && creation.integrationId === change.integrationId;
}
