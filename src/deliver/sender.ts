import type { Channel, Chat } from '../channels/channel.ts';
import type { MediaLookup } from '../compose/received-media.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { ExpiringValues } from '../lib/runtime/expiring-values.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Span, Tracer } from '../lib/telemetry/tracing.ts';
import type { AttemptOutcome } from '../model/attempt.ts';
import type { Id } from '../model/id.ts';
import type { Credentials, Integration } from '../model/integration.ts';
import { type MessageState, isSettled } from '../model/message.ts';
import { contactZone } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';
import type { InFlightMessage } from '../store/delivery/deliveries.ts';
import type { AttemptResult, ClaimedMessage } from '../store/delivery/dispatch-round.ts';
import { quietAt } from '../store/messages/quiet-hours.ts';
import type { Store } from '../store/store.ts';
import { NO_REPORT, NO_RESPONSE, eventOf, healthOf, resultOf } from './attempt/attempt-result.ts';
import { attemptSpan, endAttemptSpan, tracedNetwork } from './attempt/attempt-span.ts';
import { attempt } from './attempt/attempt.ts';
import { PROCESS_ENDED, interrupted, isIsolated, postponed } from './attempt/interruption.ts';
import { messageToken } from './attempt/message-token.ts';
import { type Fault, modeFault } from './attempt/mode-fault.ts';
import {
  type Decision,
  decide,
  duringQuietHours,
  leavingRoute,
  released,
  suppressed,
} from './attempt/outcome-policy.ts';
import { withRevision } from './attempt/revision.ts';
import { WINDOW_CLOSED, templateInstead, templateOf } from './attempt/template.ts';
import { unsubscribeUrlOf } from './attempt/unsubscribe-url.ts';
import { validityOf } from './attempt/validity.ts';
import { recordBlock } from './attempt/vendor-block.ts';
import type { ChannelResource } from './channel-resource.ts';
import { hookUrlOf } from './hook-url.ts';
import { type FetchReceived, messageMedia } from './media/message-media.ts';
import { PlanFault, type PlannedMessage, earlierOf } from './plans.ts';
import type { Runner, RunnerConfig } from './runner.ts';
import { storeCredentials } from './stored-credentials.ts';
import { type VendorAccessOptions, vendorAccess } from './vendor-access.ts';

/** Receives measurements for metrics and statistics. */
export interface DeliveryObserver {
  attempted(channel: string, outcome: AttemptOutcome, isSandboxed: boolean): void;
  /** `after` is the time since the message was accepted, or due if it was scheduled. */
  settled(channel: string, state: MessageState, after: Millis, message: ClaimedMessage): void;
  /** `age` is how long the oldest due message has been due. */
  oldestDue(age: Millis): void;
}

export interface SenderOptions extends VendorAccessOptions {
  store: Store;
  clock: Clock;
  log: Log;
  observer: DeliveryObserver;
  tracer?: Tracer | undefined;
  /** This node's id. */
  node: string;
  findChannel(name: string): Channel | undefined;
  /** The configured public URL of the service. */
  publicUrl?: string | undefined;
  /** Finds received files in messages. */
  media?: MediaLookup;
  fetchReceived?: FetchReceived;
  /** Whether this node's lease is valid. */
  isOwner(): boolean;
  /** Short-lived values that webhooks and sends of an integration share. */
  sharedStateOf?(integrationId: Id): ExpiringValues;
  /** The web chat's conversations; it is the one channel without a vendor. */
  chatOf?(integration: Pick<Integration, 'id' | 'applicationId'>): Chat;
  /** Called when a result is recorded. */
  recorded(result: AttemptResult): void;
  /** Queues a result for recording; `runner` is given when the send has ended. */
  settle(result: AttemptResult, runner?: Runner): void;
  random(): number;
}

/** A message in flight, until its result is recorded. */
interface InFlight {
  message: ClaimedMessage;
  runner: Runner;
  config: RunnerConfig | undefined;
  abort: AbortController;
  /** Whether this node aborted the attempt before the channel answered. */
  isAborted: boolean;
}

/** The pause of an integration that this node cannot send for; another node may be able to. */
const PAUSE_MS = 30_000;

/** Makes one attempt per message and reports its result. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #flights = new Map<Id, InFlight>();
  /** The message in flight that is sent in isolation; there is at most one. */
  #quarantined: Id | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#flights.size;
  }

  /** Whether the integration has a message in flight or an unrecorded result. */
  isBusy(runner: Runner): boolean {
    return this.#flights.values().some((flight) => flight.runner === runner);
  }

  /** Whether the message is in flight for this runner. */
  has(messageId: Id, runner: Runner): boolean {
    return this.#flights.get(messageId)?.runner === runner;
  }

  /** Never rejects: nothing awaits it. */
  async send(message: ClaimedMessage, runner: Runner): Promise<void> {
    const { clock, observer, chatOf, sharedStateOf, tracer } = this.#options;
    const abort = this.#track(message, runner);
    if (message.suppressed) return this.#settleUnsent(message, runner, suppressed, runner);
    const quiet = this.#quiet(message, runner);
    if (quiet) return this.#settleUnsent(message, runner, quiet, runner);
    if (isIsolated(message)) {
      if (this.#quarantined !== undefined)
        return this.#settleUnsent(message, runner, postponed, runner);
      this.#quarantined = message.id;
    }
    const { config, resource } = runner;
    if (!config) return this.#pauseAndRelease(message, runner);
    const planned = await this.#plan(message, runner, config);
    if (planned === 'unknown') return this.#release(message, runner, runner);
    // A process that was suspended for longer than its lease must not send: another node may have done so. There must be
    // no `await` between this check and the attempt.
    if (!this.#options.isOwner() || abort.signal.aborted) {
      return this.#release(message, runner, runner);
    }
    const start = { at: clock.now(), elapsed: clock.elapsed() };
    if ('fault' in planned) return this.#refuse(message, runner, planned, start.at);
    const { steps } = planned;
    const { channel, mode } = config;
    const otherMode = modeFault(message, mode, this.#options.sandboxAccess !== undefined);
    if (otherMode) return this.#refuse(message, runner, otherMode, start.at);
    const { integrationId: id, applicationId } = runner;
    const access = vendorAccess(this.#options, { id, applicationId, mode }, channel);
    runner.chat ??= chatOf?.({ id: runner.integrationId, applicationId: runner.applicationId });
    const account = {
      channel,
      credentials: config.credentials,
      redact: config.redact,
      operatorUrl: access.operatorUrl,
      resource: resource.use,
      storeCredentials: (changed: Credentials) => this.storeCredentials(runner, resource, changed),
      hookUrl: () => hookUrlOf(runner, this.#options),
      ...(sharedStateOf && { sharedState: () => sharedStateOf(runner.integrationId) }),
      ...(runner.chat && { chat: runner.chat }),
      tokenOf: (key: string) => messageToken(this.#options.store.signer, key),
      ...unsubscribeUrlOf(message, channel, mode, this.#options),
    };
    const span = tracer && attemptSpan(tracer, message, channel.name);
    const environment = { network: tracedNetwork(access.network, tracer, span, channel), clock };
    const from = { applicationId: runner.applicationId, mode };
    const media = messageMedia(planned, from, this.#options.fetchReceived);
    let attempted = await attempt(message, steps, account, environment, abort, media);
    const substitute = templateInstead(message, attempted.outcome, config);
    if (substitute) attempted = await attempt(message, substitute, account, environment, abort);
    if (!channel.retryForever)
      attempted.outcome = runner.contentFaults.judge(message.id, attempted);
    const decision = decide(attempted.outcome, {
      ...this.#situation(message, runner, channel),
      parts: attempted.parts,
      uncertain: config.uncertain,
    });
    if (span) endAttemptSpan(span, decision.outcome, attempted.status);
    this.#countLimits(runner, decision);
    await recordBlock(this.#options, message, attempted.outcome, channel, mode);
    if (decision.pause) await this.#pause(runner, config.sealed, decision.pause, span);
    observer.attempted(channel.name, decision.outcome, mode === 'sandbox');
    const duration = clock.elapsed() - start.elapsed;
    const result = resultOf(message, runner, decision, attempted, start.at, duration, channel);
    const isAborted = this.#flights.get(message.id)?.isAborted ?? false;
    Object.assign(result, this.#healthPart(runner, isAborted ? null : healthOf(attempted.outcome)));
    if (span) result.trace = span.traceparent;
    this.#options.settle(result, runner);
  }

  /** The change that quiet hours require for a message of which nothing was sent; undefined if it may leave. */
  #quiet(message: ClaimedMessage, { config }: Runner): typeof released | undefined {
    const { category = null, consentKey = null, partsSent } = message;
    if (!config || config.quietHours.rules.length === 0 || partsSent > 0) return undefined;
    const { clock } = this.#options;
    const zone = contactZone(message.instructions);
    const quiet = quietAt(config.quietHours, { category, consentKey, zone }, clock.now());
    if (quiet === undefined) return undefined;
    return (situation) => duringQuietHours(situation, quiet);
  }

  /** The plan, or why there is none; `unknown` if the store is unavailable. */
  async #plan(
    message: ClaimedMessage,
    runner: Runner,
    config: RunnerConfig,
  ): Promise<PlannedMessage | Fault | 'unknown'> {
    const { store, log, media } = this.#options;
    try {
      const template = await templateOf(message, config, store, this.#options.clock.now());
      if (template === 'closed') return WINDOW_CLOSED;
      const options = { media, validUntil: await validityOf(message, store), template };
      const current = await withRevision(message, config.channel, store);
      return await runner.plans.planOf(current, config, earlierOf(message, store), options);
    } catch (error) {
      if (error instanceof PlanFault) return { fault: error.message, blame: 'content' };
      log.warn({ err: error, message_id: message.id }, 'a lookup for a message failed, retrying');
      return 'unknown';
    }
  }

  /** This node cannot send for the integration. That is not the message's fault, so it costs no attempt. */
  async #pauseAndRelease(message: ClaimedMessage, runner: Runner): Promise<void> {
    const { blocker } = runner;
    if (blocker) {
      const { detail, sealed } = blocker;
      const until = this.#options.clock.now() + PAUSE_MS;
      await this.#pause(runner, sealed, { reason: 'unavailable', detail, until });
    }
    this.#release(message, runner, runner);
  }

  /** Fails the message without an attempt. */
  #refuse(
    message: ClaimedMessage,
    runner: Runner,
    { fault: detail, blame }: Fault,
    at: Millis,
  ): void {
    const outcome = { outcome: 'permanent', blame, detail } as const;
    const decision = decide(outcome, {
      ...this.#situation(message, runner, undefined),
      parts: 1,
      uncertain: 'hold',
    });
    const attempted = { ...NO_RESPONSE, outcome };
    this.#options.settle(resultOf(message, runner, decision, attempted, at, 0), runner);
  }

  /** The health part of a result. A failure also marks the results that follow it. */
  #healthPart(
    runner: Runner,
    health: AttemptResult['health'],
  ): Pick<AttemptResult, 'health' | 'wasUnhealthy'> {
    if (health !== null && health !== 'ok') runner.isUnhealthy = true;
    return { health, wasUnhealthy: runner.isUnhealthy };
  }

  /** Requeues a message that was started but never sent. */
  requeue(message: ClaimedMessage, runner: Runner): void {
    this.#track(message, runner);
    this.#release(message, runner);
  }

  #release(message: ClaimedMessage, runner: Runner, sender?: Runner): void {
    this.#settleUnsent(message, runner, released, sender);
  }

  /** Records a change without an attempt. */
  #settleUnsent(
    message: ClaimedMessage,
    runner: Runner,
    changeOf: typeof released,
    sender?: Runner,
  ): void {
    const now = this.#options.clock.now();
    const change = leavingRoute(message, changeOf({ message, now }), now);
    const { id: messageId, starts: start, applicationId, integrationId, recipient } = message;
    const { fence } = runner;
    const place = { applicationId, integrationId, fence, messageId, start, recipient };
    const event = eventOf(message, change, runner.config?.channel);
    const trace = event === null ? null : message.trace;
    const noAttempt = { attempt: null, event, reportedAs: null, trace, ...NO_REPORT };
    this.#options.settle({ ...place, ...change, ...noAttempt }, sender);
  }

  /** Counts several limits that arrive together as one. */
  #countLimits(runner: Runner, { outcome, pause, change }: Decision): void {
    if (change.waits === 'processing') return runner.refundBudget();
    if (outcome !== 'limited') {
      runner.limits = 0;
      return;
    }
    if (this.#options.clock.now() < runner.limitedUntil) return;
    runner.limits++;
    runner.limitedUntil = pause?.until ?? change.dueAt;
  }

  #track(message: ClaimedMessage, runner: Runner): AbortController {
    const abort = new AbortController();
    this.#flights.set(message.id, {
      message,
      runner,
      config: runner.config,
      abort,
      isAborted: false,
    });
    return abort;
  }

  /** Settles a message whose process ended before the channel answered. */
  recover(message: InFlightMessage, runner: Runner): void {
    this.#track(message, runner);
    const channel = message.name === null ? undefined : this.#options.findChannel(message.name);
    const decision = interrupted(message.interruptions + 1, {
      ...this.#situation(message, runner, channel),
      parts: 1,
      // A deleted integration cannot resend.
      uncertain: message.name === null ? 'hold' : (message.uncertain ?? 'resend'),
    });
    const attempted = { ...NO_RESPONSE, outcome: PROCESS_ENDED };
    const now = this.#options.clock.now();
    this.#options.settle(resultOf(message, runner, decision, attempted, now, 0, channel));
  }

  /** Call when a result was recorded, or refused by the store. */
  acknowledge(result: AttemptResult, isRecorded: boolean): void {
    if (isRecorded) this.#options.recorded(result);
    const { messageId, start, fence, state } = result;
    if (this.#quarantined === messageId) this.#quarantined = undefined;
    const flight = this.#flights.get(messageId);
    if (flight?.runner.fence !== fence || flight.message.starts !== start) return;
    this.#flights.delete(messageId);
    if (!isRecorded || !isSettled(state)) return;
    const { message, config } = flight;
    const after = this.#options.clock.now() - (message.dueAt ?? message.createdAt);
    this.#options.observer.settled(config?.channel.name ?? 'unknown', state, after, message);
  }

  /** Aborts the messages in flight, for one integration or for all. */
  abortFlights(runner?: Runner): void {
    for (const flight of this.#flights.values()) {
      if (runner && flight.runner !== runner) continue;
      flight.isAborted = true;
      flight.abort.abort();
    }
  }

  async #pause(
    runner: Runner,
    sealed: string,
    pause: NonNullable<Decision['pause']>,
    { traceId, spanId }: Partial<Span> = {},
  ): Promise<void> {
    const { store, log, node, clock } = this.#options;
    const { integrationId } = runner;
    const { reason, detail } = pause;
    runner.isHeld = true;
    try {
      const paused = await store.ownerships.pause(runner, node, sealed, pause, clock.now());
      if (paused)
        log.warn(
          { integration_id: integrationId, reason, detail, trace_id: traceId, span_id: spanId },
          'integration paused',
        );
    } catch (error) {
      log.warn({ err: error, integration_id: integrationId, reason }, 'pausing integration failed');
    } finally {
      runner.isHeld = false;
    }
  }

  /** Clears the failing mark of an integration after a recorded success. If this fails, the next success repeats it. */
  async recovered(runner: Runner): Promise<void> {
    const { store, log, clock } = this.#options;
    try {
      await store.health.recover(runner, clock.now());
    } catch (error) {
      log.warn({ err: error, integration_id: runner.integrationId }, 'recovery not recorded');
    }
  }

  storeCredentials(runner: Runner, resource: ChannelResource, changed: Credentials): Promise<void> {
    return storeCredentials(this.#options, runner, resource, changed);
  }

  #situation(message: ClaimedMessage, runner: Runner, channel: Channel | undefined) {
    const { clock, random } = this.#options;
    return {
      message,
      idempotent: channel?.idempotent ?? false,
      retryForever: channel?.retryForever,
      spacing: channel ? runner.spacingAfter(message.recipient, channel) : 0,
      limits: runner.limits,
      now: clock.now(),
      random: random(),
    };
  }
}
