import { mayHaveMedia } from '../compose/received-media.ts';
import type { Cache } from '../lib/runtime/cache.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { GroupCommit } from '../lib/runtime/group-commit.ts';
import { type Tracer, within } from '../lib/telemetry/tracing.ts';
import { yielder } from '../lib/threads/yielding.ts';
import type { Id } from '../model/id.ts';
import type { Message, NewMessage } from '../model/message.ts';
import { Problem } from '../model/problem.ts';
import { contactZone, readInstructions } from '../model/sending/instructions.ts';
import { isBetweenRoutes } from '../model/sending/message-route.ts';
import type { Millis } from '../model/timestamp.ts';
import { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Accepted, Submission } from '../store/engine.ts';
import { AlreadyAnswered, isRefused } from '../store/faults.ts';
import type { AddressChange, ScheduleChange } from '../store/messages/schedule.ts';
import type { Store } from '../store/store.ts';
import {
  type AcceptedMessage,
  type AcceptedState,
  acceptedContact,
  settleRefused,
} from './accepted.ts';
import { checkChange, creates, createsObject } from './changes/change-check.ts';
import {
  type RoutedChange,
  dropDeleted,
  routedChange,
  withImpossible,
} from './changes/routed-change.ts';
import {
  afterConsent,
  checkConsent,
  consentKeyOf,
  recipientSuppressed,
} from './consent/consent.ts';
import { chooseAgain } from './contacts/choose-again.ts';
import { checkAddresses, namesContact, resolveContact } from './contacts/resolve.ts';
import {
  AT_ONCE,
  type DepartureFields,
  departureOrProblem,
  requireDeparture,
} from './departure.ts';
import { type Destination, destinationOf } from './destination.ts';
import type { AcceptOptions, Draft, Origin, SendAt } from './draft.ts';
import type { OutboundMedia } from './media.ts';
import { type Lookup, lookUp } from './new-message/lookup.ts';
import { newMessage } from './new-message/new-message.ts';
import { checkOptions } from './options.ts';
import { PlacedRoutes, routedDraft } from './pools/placed-routes.ts';
import { type Preview, type PreviewedRoute, checkMedia, previewOf } from './preview.ts';
import {
  type RouteMessage,
  alreadyTried,
  firstAllowed,
  keptRoutes,
  routedMessage,
} from './routed-message.ts';
import { type Candidate, route } from './routing.ts';
import { newDeparture } from './send-at.ts';
import { type SendingApplication, sendingApplications } from './sending-applications.ts';
import { MAX_PER_COMMIT, MAX_WAITING, weightOf } from './submission-weight.ts';
import { checkWindow, isFreeText, windowOf } from './window-check.ts';

/** Accepts outgoing messages: routes, stores, then acknowledges them. */
export class Outbound {
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #commits: GroupCommit<Submission, Accepted>;
  readonly #applications: Cache<Id, SendingApplication>;
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
    this.#applications = sendingApplications(store, clock, changes);
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
    const cached = this.#applications.get(applicationId);
    const { integrations, quietHours, secret } = cached instanceof Promise ? await cached : cached;
    const createdAt = this.#clock.now();
    const messages: NewMessage[] = [];
    const refused = withSuppressed ? new Set<NewMessage>() : undefined;
    const origin: Origin = { applicationId, createdAt, trace, quietHours, secret, refused };
    const contacts: AcceptedMessage['contact'][] = [];
    const yieldIfDue = yielder();
    for (const [i, given] of drafts.entries()) {
      const pause = i > 0 && yieldIfDue();
      if (pause) await pause;
      const resolved = this.#resolved(applicationId, given, integrations, true);
      const draft = resolved instanceof Promise ? await resolved : resolved;
      const composed = this.#messageOf(origin, draft, integrations, messages);
      const message = composed instanceof Promise ? await composed : composed;
      if (draft !== given) contacts[i] = acceptedContact(message);
      messages.push(message);
    }
    const submission = { messages, withSuppressed, ...(idempotency && { idempotency }) };
    const accepted = await this.#commit(submission, trace);
    if ('repeated' in accepted) throw new AlreadyAnswered('the messages were already accepted');
    if ('refused' in accepted) throw recipientSuppressed(drafts[accepted.refused]?.pointer);
    const { ids, suppressed } = accepted;
    const context = { store: this.#store, applicationId, integrations, now: createdAt };
    if (contacts.length > 0) await checkAddresses(messages, contacts, context);
    const result = messages.map((message, i): AcceptedMessage => {
      const { integrationId, dueAt: sendAt = null } = message;
      const waiting = sendAt === null ? 'queued' : 'scheduled';
      const unsuppressed = refused?.has(message) ? 'failed' : waiting;
      const state = suppressed.includes(i) ? 'suppressed' : unsuppressed;
      const common = { createdAt, integrationId, applicationId, contact: contacts[i] };
      return { id: ids[i] ?? 0, state, sendAt, ...common };
    });
    if (suppressed.length > 0 || refused?.size) await settleRefused(this.#store, result);
    if (messages.some(({ type }) => type === 'Delete')) {
      await dropDeleted(this.#store, messages, createdAt);
    }
    for (const [i, { state }] of result.entries()) {
      const message = messages[i];
      if (message) this.#accepted(message, state);
    }
    return result;
  }

  /** The draft with the address of the contact that it names, if it names one. */
  #resolved(
    applicationId: Id,
    draft: Draft,
    integrations: readonly Candidate[],
    willSend: boolean,
  ): Draft | Promise<Draft> {
    if (!namesContact(draft)) return draft;
    const context = { store: this.#store, applicationId, integrations, now: this.#clock.now() };
    return resolveContact(routedDraft(draft) ?? draft, { ...context, willSend });
  }

  /** Checks and routes a draft. `before` are the messages of the same request that precede it. */
  #messageOf(
    origin: Origin,
    draft: Draft,
    integrations: readonly Candidate[],
    before: readonly NewMessage[],
    current?: Millis,
  ): NewMessage | Promise<NewMessage> {
    const single = () => {
      const destination = destinationOf(draft, route(draft.activity, integrations, draft.pointer));
      const departure = requireDeparture(origin, draft, destination, current);
      return this.#via(origin, draft, destination, departure, before);
    };
    if (draft.activity.type !== 'Create' && !draft.routes && !createsObject(before, draft)) {
      return routedChange(this.#store, origin.applicationId, draft, integrations).then((change) =>
        change ? this.#routed(origin, draft, integrations, current, change) : single(),
      );
    }
    const routed = routedDraft(draft);
    return routed ? this.#routed(origin, routed, integrations, current) : single();
  }

  /** A message with several routes: the first that is allowed starts. With one route, it is like any other. */
  async #routed(
    origin: Origin,
    draft: Draft,
    integrations: readonly Candidate[],
    current?: Millis,
    change?: RoutedChange,
  ): Promise<NewMessage> {
    const { applicationId, createdAt } = origin;
    const at = { now: createdAt, willSend: true };
    const resolved =
      change?.placedRoutes ?? (await this.#routes.of(applicationId, draft, integrations, at));
    const [only] = resolved;
    if (only && resolved.length === 1 && !change) {
      const destination = destinationOf(only.draft, only.candidate);
      const departure = requireDeparture(origin, only.draft, destination, current);
      return this.#via(origin, only.draft, destination, departure, []);
    }
    const routeMessages: RouteMessage[] = [];
    // Windows are checked below: another route may be allowed.
    const unchecked = { ...origin, refused: new Set<NewMessage>() };
    for (const one of resolved) {
      const destination = destinationOf(one.draft, one.candidate);
      const changes = change?.messageId;
      const message = await this.#via(unchecked, one.draft, destination, AT_ONCE, [], changes);
      routeMessages.push({ ...one, message });
    }
    const leavesNow = draft.sendAt === undefined && current === undefined;
    const context = { leavesNow, now: createdAt };
    const { first, obstacles, refusal } = await firstAllowed(this.#store, routeMessages, context);
    if (refusal && !origin.refused) throw refusal;
    const start = routeMessages[first];
    if (!start) throw new Error('a draft with routes has at least one');
    const destination = destinationOf(start.draft, start.candidate);
    const departure = requireDeparture(origin, start.draft, destination, current);
    if (departure.refusal && !origin.refused) {
      const { candidate, draft: startDraft } = start;
      throw await afterConsent(
        this.#store,
        departure.refusal,
        applicationId,
        candidate,
        startDraft,
      );
    }
    const routed = routedMessage(routeMessages, first, obstacles, departure) ?? start.message;
    const message = change ? withImpossible(routed, change) : routed;
    if (departure.refusal) origin.refused?.add(message);
    return message;
  }

  /** The message as this integration sends it; throws a Problem if it cannot. Most need no promise. */
  #via(
    origin: Origin,
    draft: Draft,
    destination: Destination,
    departure: DepartureFields,
    before: readonly NewMessage[],
    changes?: Id,
  ): NewMessage | Promise<NewMessage> {
    const options = checkOptions(destination.integration, draft);
    const compose = (lookup: Lookup): NewMessage | Promise<NewMessage> => {
      const message = newMessage(origin, draft, destination, departure, options, lookup, changes);
      if (departure.refusal) origin.refused?.add(message);
      const isChange = message.type !== 'Create' && changes === undefined;
      // The message it changes may precede it in the same request.
      const changesStored = isChange && !before.some((other) => creates(other, message));
      const { integration } = destination;
      const checked = this.#check(origin, draft, integration, message, lookup, changesStored);
      return checked ? checked.then(() => message) : message;
    };
    const lookup = lookUp(this.#store, origin, draft, destination, departure);
    return lookup instanceof Promise ? lookup.then(compose) : compose(lookup);
  }

  /** Checks the message against stored data; throws a Problem if they conflict. Undefined if it needs no such check. */
  #check(
    { applicationId, refused }: Origin,
    draft: Draft,
    integration: Candidate,
    { recipient, dueAt = null }: NewMessage,
    lookup: Lookup,
    changesStored: boolean,
  ): Promise<void> | undefined {
    const { activity, text, pointer } = draft;
    const leavesNow = dueAt === null && !refused;
    const isWindowed = leavesNow && integration.channel?.window && isFreeText(lookup);
    const media = mayHaveMedia(text) ? this.#media : undefined;
    const check = async () => {
      if (changesStored) {
        const place = [applicationId, integration, activity, recipient, pointer] as const;
        await checkChange(this.#store, ...place, dueAt);
      }
      if (isWindowed) {
        await checkWindow(this.#store, applicationId, integration, draft, this.#clock.now());
      }
      if (media) await checkMedia(this.#store, applicationId, integration, draft, media);
    };
    return changesStored || isWindowed || media ? check() : undefined;
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
    // Throws a Problem if a route was tried.
    if (!draft) await keptRoutes(this.#store, current);
    if (draft) {
      const change = await this.#replacement(current, draft, now);
      await checkConsent(this.#store, current.applicationId, change, draft.pointer);
      return change;
    }
    if (sendAt === undefined) return {};
    const { consentKey, category, expiresAt, instructions } = current;
    const { quietHours } = await this.#applications.get(current.applicationId);
    const context = { consentKey, category, zone: contactZone(instructions), quietHours, now };
    const change = newDeparture(sendAt, expiresAt, context);
    if (change instanceof Problem) throw change;
    return change;
  }

  /** Chooses a new address for a scheduled message to a contact, just before it is sent. */
  chooseAgain(message: Message): Promise<AddressChange> {
    const replace = (draft: Draft) => this.#replacement(message, draft, this.#clock.now());
    return chooseAgain(this.#store, message, replace);
  }

  async #replacement(current: Message, given: Draft, now: Millis): Promise<ScheduleChange> {
    const { applicationId } = current;
    const { integrations, quietHours, secret } = await this.#applications.get(applicationId);
    const isCreate = given.activity.type === 'Create';
    const kept = isCreate ? await keptRoutes(this.#store, current) : undefined;
    const routes = given.routes ?? kept;
    const written = routes ? { ...given, routes } : given;
    const draft = await this.#resolved(applicationId, written, integrations, true);
    const isSame =
      !draft.routes &&
      route(draft.activity, integrations, draft.pointer).id === current.integrationId;
    const { options } = readInstructions(current.instructions);
    const whole = {
      ...draft,
      options: draft.options ?? (isSame ? options : undefined),
      category: draft.category ?? current.category ?? undefined,
    };
    const origin = { applicationId, createdAt: now, quietHours, secret };
    const message = await this.#messageOf(origin, whole, integrations, [], current.dueAt ?? now);
    const { createdAt: _, trace: __, applicationId: ___, ...change } = message;
    const { route: number = null, routes: replaced = [] } = change;
    return { ...change, route: number, routes: replaced, dueAt: change.dueAt ?? now };
  }

  #commit(submission: Submission, parent: string | null): Promise<Accepted> {
    if (parent === null) return this.#commits.submit(submission);
    const attributes = { 'messaging.batch.message_count': submission.messages.length };
    const span = this.#tracer?.start('commit messages', { kind: 'internal', parent, attributes });
    return within(span, () => this.#commits.submit(submission));
  }

  /** Renders a message without storing or sending it. */
  async preview(applicationId: Id, given: Draft): Promise<Preview> {
    const { integrations } = await this.#applications.get(applicationId);
    const draft = await this.#resolved(applicationId, given, integrations, false);
    const change = await routedChange(this.#store, applicationId, draft, integrations);
    const routed = change ? draft : routedDraft(draft);
    if (!routed) {
      const candidate = route(draft.activity, integrations, draft.pointer);
      return this.#previewVia(applicationId, draft, candidate);
    }
    const routes: PreviewedRoute[] = [];
    const at = { now: this.#clock.now(), willSend: false };
    const placedRoutes =
      change?.placedRoutes ?? (await this.#routes.of(applicationId, routed, integrations, at));
    for (const one of placedRoutes) {
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
    const { quietHours } = await this.#applications.get(applicationId);
    const consentKey = consentKeyOf(candidate, draft.activity, recipient);
    const origin = { quietHours, createdAt: now };
    const departure = departureOrProblem(origin, draft, consentKey);
    const window = await windowOf(this.#store, applicationId, candidate, draft, now);
    const context = { media: this.#media, departure, window, withTemplates: true };
    return previewOf(this.#store, applicationId, candidate, draft, context);
  }

  /** Call when the integrations or quiet hours of an application change. */
  forget(applicationId: Id): void {
    this.#applications.drop(new Set([applicationId]));
  }
}
