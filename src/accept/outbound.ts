import { mayHaveMedia } from '../compose/received-media.ts';
import { batchLoad } from '../lib/runtime/batch-load.ts';
import { Cache } from '../lib/runtime/cache.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { GroupCommit } from '../lib/runtime/group-commit.ts';
import { type Tracer, within } from '../lib/telemetry/tracing.ts';
import { endOf } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { Message, NewMessage } from '../model/message.ts';
import { Problem } from '../model/problem.ts';
import { readInstructions, writeInstructions } from '../model/sending/instructions.ts';
import { NO_QUIET_HOURS, type QuietHours } from '../model/sending/quiet-hours.ts';
import type { Millis } from '../model/timestamp.ts';
import { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Accepted, IdempotencyKey, Submission } from '../store/engine.ts';
import { AlreadyAnswered, isRefused } from '../store/faults.ts';
import type { ScheduleChange } from '../store/messages/schedule.ts';
import type { Store } from '../store/store.ts';
import { consentKeyOf, recipientSuppressed } from './consent.ts';
import type { Draft, SendAt } from './draft.ts';
import { checkChange, objectIdOf } from './earlier.ts';
import type { OutboundMedia } from './media.ts';
import { checkOptions } from './options.ts';
import { type Preview, checkMedia, previewOf } from './preview.ts';
import { type Candidate, checkDeliverable, route, toCandidate } from './routing.ts';
import { departureOf, newDeparture } from './send-at.ts';
import { namesTemplate, templatesOf } from './templates/instructed.ts';
import { isFreeText, windowClosed, windowOf } from './window-check.ts';

/** Returned to the sender once a message is on disk. */
export type AcceptedMessage = Pick<
  Message,
  'id' | 'createdAt' | 'integrationId' | 'applicationId'
> & { state: 'scheduled' | 'queued' | 'suppressed'; sendAt: Millis | null };

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

/** What all messages of a request share. */
type Origin = Pick<NewMessage, 'applicationId' | 'createdAt' | 'trace'> &
  Pick<AcceptOptions, 'withSuppressed'>;

/** Accepts outgoing messages: routes, stores, then acknowledges them. */
export class Outbound {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #commits: GroupCommit<Submission, Accepted>;
  readonly #integrations: Cache<Id, Candidate[]>;
  readonly #quietHours: Cache<Id, QuietHours>;
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
    this.#quietHours = new Cache(
      async (id) => (await store.schedule.quietHours(id)) ?? NO_QUIET_HOURS,
      {
        freshness: changes,
        dependsOn: (applicationId) => [applicationId],
        maxAgeMs: MAX_AGE_MS,
        maxEntries: MAX_CACHED_APPLICATIONS,
        now: () => clock.elapsed(),
      },
    );
    changes.attach(this.#quietHours);
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
      const origin = { applicationId, createdAt, trace, withSuppressed };
      messages.push(await this.#messageOf(origin, draft, integrations, messages));
    }
    const submission = { messages, withSuppressed, ...(idempotency && { idempotency }) };
    const accepted = await this.#commit(submission, trace);
    if ('repeated' in accepted) throw new AlreadyAnswered('the messages were already accepted');
    if ('refused' in accepted) throw recipientSuppressed(drafts[accepted.refused]?.pointer);
    for (const message of messages) this.#accepted(message);
    const { ids, suppressed } = accepted;
    if (suppressed.length > 0) await this.#suppress(applicationId, ids, suppressed);
    return messages.map(({ integrationId, dueAt = null }, i) => ({
      id: ids[i] ?? 0,
      createdAt,
      integrationId,
      applicationId,
      state: suppressed.includes(i) ? 'suppressed' : dueAt === null ? 'queued' : 'scheduled',
      sendAt: dueAt,
    }));
  }

  /** Checks and routes a draft. `before` are the messages of the same request that precede it. */
  async #messageOf(
    { applicationId, createdAt, trace, withSuppressed }: Origin,
    draft: Draft,
    integrations: readonly Candidate[],
    before: readonly NewMessage[],
    current?: Millis,
  ): Promise<NewMessage> {
    const { activity, text, pointer } = draft;
    const recipient = String(activity.to.id);
    const integration = route(activity, integrations, pointer);
    checkDeliverable(integration, activity, recipient, pointer);
    const key = consentKeyOf(integration, activity, recipient);
    const quiet = this.#quietHours.get(applicationId);
    const departure = departureOf(draft, {
      consentKey: key,
      category: draft.category ?? null,
      quietHours: quiet instanceof Promise ? await quiet : quiet,
      now: createdAt,
      ...(current !== undefined && { current }),
    });
    if (departure instanceof Problem) throw departure;
    const { dueAt, reason } = departure;
    const templates = namesTemplate(draft)
      ? await templatesOf(this.#store, applicationId, integration, draft)
      : {};
    const message: NewMessage = {
      applicationId,
      integrationId: integration.id,
      recipient,
      activity: text,
      instructions: writeInstructions({
        options: checkOptions(integration, draft),
        ...templates,
        ...(integration.mode === 'sandbox' && { sandbox: true }),
        ...(draft.category === 'marketing' && { marketing: true }),
      }),
      category: draft.category ?? null,
      consentKey: key,
      objectId: objectIdOf(activity),
      type: activity.type,
      dueAt,
      reason,
      expiresAt: endOf(activity) ?? null,
      createdAt,
      trace: trace ?? null,
    };
    // The message it changes may precede it in the same request.
    if (activity.type !== 'Create' && !before.some((other) => creates(other, message))) {
      const place = [applicationId, integration, activity, recipient, pointer] as const;
      await checkChange(this.#store, ...place, dueAt);
    }
    const leavesNow = dueAt === null && !withSuppressed;
    if (leavesNow && integration.channel?.window && isFreeText(templates)) {
      await this.#checkWindow(applicationId, integration, draft);
    }
    if (this.#media && mayHaveMedia(text)) {
      await checkMedia(this.#store, applicationId, integration, draft, this.#media);
    }
    return message;
  }

  /**
   * The changes that a request makes to a scheduled message; throws a Problem if it is invalid. What the request leaves
   * out stays as it is.
   */
  async changeOf(
    current: Message,
    { draft, sendAt }: { draft?: Draft | undefined; sendAt?: SendAt | undefined },
  ): Promise<ScheduleChange> {
    const now = this.#clock.now();
    if (draft) return this.#replacement(current, draft, now);
    if (sendAt === undefined) return {};
    const { consentKey: key, category, expiresAt } = current;
    const quietHours = await this.#quietHours.get(current.applicationId);
    const change = newDeparture(sendAt, expiresAt, { consentKey: key, category, quietHours, now });
    if (change instanceof Problem) throw change;
    return change;
  }

  async #replacement(current: Message, draft: Draft, now: Millis): Promise<ScheduleChange> {
    const { applicationId } = current;
    const integrations = await this.#integrations.get(applicationId);
    const isSame = route(draft.activity, integrations, draft.pointer).id === current.integrationId;
    const { options } = readInstructions(current.instructions);
    const whole = {
      ...draft,
      options: draft.options ?? (isSame ? options : undefined),
      category: draft.category ?? current.category ?? undefined,
    };
    const origin = { applicationId, createdAt: now };
    const message = await this.#messageOf(origin, whole, integrations, [], current.dueAt ?? now);
    const { createdAt: _, trace: __, applicationId: ___, ...change } = message;
    return { ...change, dueAt: change.dueAt ?? now };
  }

  /** Throws a Problem if the vendor accepts no free text now. In a batch, such messages fail when they are sent. */
  async #checkWindow(applicationId: Id, integration: Candidate, draft: Draft): Promise<void> {
    const now = this.#clock.now();
    const window = await windowOf(this.#store, applicationId, integration, draft, now);
    if (window?.state === 'closed') throw windowClosed(draft.pointer);
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
    const now = this.#clock.now();
    const recipient = String(draft.activity.to.id);
    const departure = departureOf(draft, {
      consentKey: consentKeyOf(candidate, draft.activity, recipient),
      category: draft.category ?? null,
      quietHours: await this.#quietHours.get(applicationId),
      now,
    });
    const window = await windowOf(this.#store, applicationId, candidate, draft, now);
    const context = { media: this.#media, departure, window, withTemplates: true };
    return previewOf(this.#store, applicationId, candidate, draft, context);
  }

  /** Call when the integrations or quiet hours of an application change. */
  forget(applicationId: Id): void {
    this.#integrations.drop(new Set([applicationId]));
    this.#quietHours.drop(new Set([applicationId]));
  }
}

/** Whether `creation` creates the object that `change` updates or deletes. */
function creates(creation: NewMessage, change: NewMessage): boolean {
  const isSame = creation.objectId === change.objectId && creation.recipient === change.recipient;
  return isSame && creation.type === 'Create' && creation.integrationId === change.integrationId;
}
