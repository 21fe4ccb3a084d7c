import { mayHaveMedia } from '../compose/received-media.ts';
import { batchLoad } from '../lib/runtime/batch-load.ts';
import { Cache } from '../lib/runtime/cache.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { GroupCommit } from '../lib/runtime/group-commit.ts';
import { type Tracer, within } from '../lib/telemetry/tracing.ts';
import { endOf } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { Message, NewMessage } from '../model/message.ts';
import type { AddressChoice } from '../model/people/choice.ts';
import { Problem } from '../model/problem.ts';
import { readInstructions, writeInstructions } from '../model/sending/instructions.ts';
import { isBetweenRoutes } from '../model/sending/message-route.ts';
import { NO_QUIET_HOURS, type QuietHours } from '../model/sending/quiet-hours.ts';
import type { Millis } from '../model/timestamp.ts';
import { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Accepted, Submission } from '../store/engine.ts';
import { AlreadyAnswered, isRefused } from '../store/faults.ts';
import type { ScheduleChange } from '../store/messages/schedule.ts';
import type { Store } from '../store/store.ts';
import {
  type AcceptedMessage,
  type AcceptedState,
  acceptedContact,
  settleRefused,
} from './accepted.ts';
import { consentKeyOf, consentOf, recipientSuppressed } from './consent/consent.ts';
import { namesContact, resolveContact } from './contacts/resolve.ts';
import type { AcceptOptions, Draft, Origin, SendAt } from './draft.ts';
import { checkChange, creates, objectIdOf } from './earlier.ts';
import type { OutboundMedia } from './media.ts';
import { checkOptions } from './options.ts';
import { PlacedRoutes, routedDraft } from './pools/placed-routes.ts';
import { type Preview, type PreviewedRoute, checkMedia, previewOf } from './preview.ts';
import { type Way, alreadyTried, firstAllowed, keptRoutes, routedMessage } from './routed.ts';
import { type Candidate, checkDeliverable, recipientOf, route, toCandidate } from './routing.ts';
import { type Departure, departureOf, newDeparture } from './send-at.ts';
import { MAX_PER_COMMIT, MAX_WAITING, weightOf } from './submission-weight.ts';
import { namesTemplate, templatesOf } from './templates/instructed.ts';
import { isFreeText, windowClosed, windowOf } from './window-check.ts';

/** Maximum age of cached integrations if no change was seen. */
const MAX_AGE_MS = 60_000;
const MAX_CACHED_APPLICATIONS = 50_000;
/** Applications per statement when reading integrations. */
const MAX_APPLICATIONS_PER_READ = 100;

type Departing = Pick<Departure, 'dueAt' | 'reason' | 'refusal'>;

const AT_ONCE: Departing = { dueAt: null, reason: null, refusal: null };

/** Accepts outgoing messages: routes, stores, then acknowledges them. */
export class Outbound {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #commits: GroupCommit<Submission, Accepted>;
  readonly #integrations: Cache<Id, Candidate[]>;
  readonly #quietHours: Cache<Id, QuietHours>;
  readonly #accepted: (message: NewMessage, state: AcceptedState) => void;
  readonly #tracer: Tracer | undefined;
  readonly #media: OutboundMedia | undefined;
  readonly #routes: PlacedRoutes;

  /** `accepted` is called for each new message, with its first state. */
  constructor(
    store: Store,
    clock: Clock,
    accepted: (message: NewMessage, state: AcceptedState) => void = () => {},
    tracer?: Tracer,
    media?: OutboundMedia,
    changes = new ChangeWatch(store, clock),
  ) {
    this.#clock = clock;
    this.#store = store;
    this.#accepted = accepted;
    this.#tracer = tracer;
    this.#media = media;
    this.#routes = new PlacedRoutes(store);
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
   * idempotency key was used before. `withSuppressed` also stores messages that their recipients, or quiet hours, do
   * not accept. `trace` is the span of the request.
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
    const refused = new Set<NewMessage>();
    const origin = { applicationId, createdAt, trace, ...(withSuppressed && { refused }) };
    const contacts: AddressChoice[] = [];
    for (const [i, given] of drafts.entries()) {
      const draft = await this.#resolved(applicationId, given, integrations);
      if (draft.contact) contacts[i] = draft.contact;
      messages.push(await this.#messageOf(origin, draft, integrations, messages));
    }
    const submission = { messages, withSuppressed, ...(idempotency && { idempotency }) };
    const accepted = await this.#commit(submission, trace);
    if ('repeated' in accepted) throw new AlreadyAnswered('the messages were already accepted');
    if ('refused' in accepted) throw recipientSuppressed(drafts[accepted.refused]?.pointer);
    const { ids, suppressed } = accepted;
    const result = messages.map((message, i): AcceptedMessage => {
      const { integrationId, dueAt: sendAt = null } = message;
      const waits = sendAt === null ? 'queued' : 'scheduled';
      const allowed = refused.has(message) ? 'failed' : waits;
      const state = suppressed.includes(i) ? 'suppressed' : allowed;
      const contact = acceptedContact(contacts[i], message.recipient);
      return { id: ids[i] ?? 0, createdAt, integrationId, applicationId, state, sendAt, contact };
    });
    if (suppressed.length > 0 || refused.size > 0) await settleRefused(this.#store, result);
    for (const [i, { state }] of result.entries()) {
      const message = messages[i];
      if (message) this.#accepted(message, state);
    }
    return result;
  }

  /** The draft with the address of the contact that it names, if it names one. */
  async #resolved(
    applicationId: Id,
    draft: Draft,
    integrations: readonly Candidate[],
  ): Promise<Draft> {
    if (!namesContact(draft)) return draft;
    const now = this.#clock.now();
    return resolveContact(draft, { store: this.#store, applicationId, integrations, now });
  }

  /** Checks and routes a draft. `before` are the messages of the same request that precede it. */
  async #messageOf(
    origin: Origin,
    draft: Draft,
    integrations: readonly Candidate[],
    before: readonly NewMessage[],
    current?: Millis,
  ): Promise<NewMessage> {
    const routed = routedDraft(draft);
    if (routed) return this.#routed(origin, routed, integrations, current);
    const integration = route(draft.activity, integrations, draft.pointer);
    const departure = await this.#departure(origin, draft, integration, current);
    return this.#via(origin, draft, integration, departure, before);
  }

  /** A message with several routes: the first that is allowed starts. With one route, it is like any other. */
  async #routed(
    origin: Origin,
    draft: Draft,
    integrations: readonly Candidate[],
    current?: Millis,
  ): Promise<NewMessage> {
    const { applicationId, createdAt } = origin;
    const at = { now: createdAt, isSent: true };
    const resolved = await this.#routes.of(applicationId, draft, integrations, at);
    const [only] = resolved;
    if (only && resolved.length === 1) {
      const departure = await this.#departure(origin, only.draft, only.candidate, current);
      return this.#via(origin, only.draft, only.candidate, departure, []);
    }
    const ways: Way[] = [];
    // Windows are checked below: another route may be allowed.
    const unchecked = { ...origin, refused: new Set<NewMessage>() };
    for (const one of resolved) {
      checkDeliverable(one.candidate, one.draft.activity, one.recipient, draft.pointer);
      const message = await this.#via(unchecked, one.draft, one.candidate, AT_ONCE, []);
      ways.push({ ...one, message });
    }
    const leavesNow = draft.sendAt === undefined && current === undefined;
    const context = { leavesNow, now: createdAt };
    const { first, obstacles, refusal } = await firstAllowed(this.#store, ways, context);
    if (refusal && !origin.refused) throw refusal;
    const way = ways[first];
    if (!way) throw new Error('a draft with routes has at least one');
    const departure = await this.#departure(origin, way.draft, way.candidate, current);
    if (departure.refusal && !origin.refused) {
      throw await this.#afterConsent(departure.refusal, applicationId, way.candidate, way.draft);
    }
    const message = routedMessage(ways, first, obstacles, departure) ?? way.message;
    if (departure.refusal) origin.refused?.add(message);
    return message;
  }

  /** When the message leaves; throws a Problem if it must not. */
  async #departure(
    { applicationId, createdAt }: Origin,
    draft: Draft,
    integration: Candidate,
    current?: Millis,
  ): Promise<Departing> {
    const recipient = recipientOf(integration, draft.activity);
    checkDeliverable(integration, draft.activity, recipient, draft.pointer);
    const quiet = this.#quietHours.get(applicationId);
    const departure = departureOf(draft, {
      consentKey: consentKeyOf(integration, draft.activity, recipient),
      category: draft.category ?? null,
      quietHours: quiet instanceof Promise ? await quiet : quiet,
      now: createdAt,
      ...(current !== undefined && { current }),
    });
    if (departure instanceof Problem) throw departure;
    return departure;
  }

  /** The message as this integration sends it; throws a Problem if it cannot. */
  async #via(
    { applicationId, createdAt, trace, refused }: Origin,
    draft: Draft,
    integration: Candidate,
    { dueAt, reason, refusal }: Departing,
    before: readonly NewMessage[],
  ): Promise<NewMessage> {
    const { activity, text, pointer } = draft;
    const recipient = recipientOf(integration, activity);
    const templates = namesTemplate(draft)
      ? await templatesOf(this.#store, applicationId, integration, draft)
      : {};
    const options = checkOptions(integration, draft);
    if (refusal && !refused)
      throw await this.#afterConsent(refusal, applicationId, integration, draft);
    const message: NewMessage = {
      applicationId,
      integrationId: integration.id,
      recipient,
      activity: text,
      instructions: writeInstructions({
        options,
        ...templates,
        ...(integration.mode === 'sandbox' && { sandbox: true }),
        ...(draft.category === 'marketing' && { marketing: true }),
        ...(draft.contact && { contact: draft.contact }),
      }),
      category: draft.category ?? null,
      consentKey: consentKeyOf(integration, activity, recipient),
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
    const leavesNow = dueAt === null && !refused;
    if (leavesNow && integration.channel?.window && isFreeText(templates)) {
      await this.#checkWindow(applicationId, integration, draft);
    }
    if (this.#media && mayHaveMedia(text)) {
      await checkMedia(this.#store, applicationId, integration, draft, this.#media);
    }
    if (refusal) refused?.add(message);
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
    if (current.route !== null && isBetweenRoutes(current.reason)) throw alreadyTried();
    if (draft) return this.#replacement(current, draft, now);
    if (sendAt === undefined) return {};
    const { consentKey: key, category, expiresAt } = current;
    const quietHours = await this.#quietHours.get(current.applicationId);
    const change = newDeparture(sendAt, expiresAt, { consentKey: key, category, quietHours, now });
    if (change instanceof Problem) throw change;
    return change;
  }

  async #replacement(current: Message, given: Draft, now: Millis): Promise<ScheduleChange> {
    const { applicationId } = current;
    const integrations = await this.#integrations.get(applicationId);
    const draft = await this.#resolved(applicationId, given, integrations);
    const routes = draft.routes ?? (await keptRoutes(this.#store, current));
    const isSame =
      !routes && route(draft.activity, integrations, draft.pointer).id === current.integrationId;
    const { options } = readInstructions(current.instructions);
    const whole = {
      ...draft,
      ...(routes && { routes }),
      options: draft.options ?? (isSame ? options : undefined),
      category: draft.category ?? current.category ?? undefined,
    };
    const origin = { applicationId, createdAt: now };
    const message = await this.#messageOf(origin, whole, integrations, [], current.dueAt ?? now);
    const { createdAt: _, trace: __, applicationId: ___, ...change } = message;
    const { route: number = null, routes: replaced = [] } = change;
    return { ...change, route: number, routes: replaced, dueAt: change.dueAt ?? now };
  }

  /** Throws a Problem if the vendor accepts no free text now. In a batch, such messages fail when they are sent. */
  async #checkWindow(applicationId: Id, integration: Candidate, draft: Draft): Promise<void> {
    const now = this.#clock.now();
    const window = await windowOf(this.#store, applicationId, integration, draft, now);
    if (window?.state !== 'closed') return;
    throw await this.#afterConsent(windowClosed(draft.pointer), applicationId, integration, draft);
  }

  /** The problem to report: consent comes first, because waiting does not help. */
  async #afterConsent(
    problem: Problem,
    applicationId: Id,
    integration: Candidate,
    draft: Draft,
  ): Promise<Problem> {
    const consent = await consentOf(this.#store, applicationId, integration, draft);
    return consent?.because ? recipientSuppressed(draft.pointer) : problem;
  }

  #commit(submission: Submission, parent: string | null): Promise<Accepted> {
    if (parent === null) return this.#commits.submit(submission);
    const attributes = { 'messaging.batch.message_count': submission.messages.length };
    const span = this.#tracer?.start('commit messages', { kind: 'internal', parent, attributes });
    return within(span, () => this.#commits.submit(submission));
  }

  /** Renders a message without storing or sending it. */
  async preview(applicationId: Id, given: Draft): Promise<Preview> {
    const integrations = await this.#integrations.get(applicationId);
    const draft = await this.#resolved(applicationId, given, integrations);
    const routed = routedDraft(draft);
    if (!routed) {
      const candidate = route(draft.activity, integrations, draft.pointer);
      return this.#previewVia(applicationId, draft, candidate);
    }
    const routes: PreviewedRoute[] = [];
    const at = { now: this.#clock.now(), isSent: false };
    for (const one of await this.#routes.of(applicationId, routed, integrations, at)) {
      const preview = await this.#previewVia(applicationId, one.draft, one.candidate);
      routes.push({ ...one, preview });
    }
    const usable = routes.find(({ preview }) => !preview.problem) ?? routes[0];
    if (!usable) throw new Error('a draft with routes has at least one');
    return { ...usable.preview, routes };
  }

  async #previewVia(applicationId: Id, draft: Draft, candidate: Candidate): Promise<Preview> {
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
