import type { Id } from '../model/id.ts';
import { ENDPOINT } from '../model/integration.ts';
import { isBetweenRoutes } from '../model/sending/message-route.ts';
import { readQuietHours } from '../model/sending/quiet-hours.ts';
import type { Millis } from '../model/timestamp.ts';
import type { IntegrationStatus } from '../store/delivery/dispatch-round.ts';
import type { DuePage } from '../store/delivery/due-integrations.ts';
import type { OwnedIntegration } from '../store/delivery/ownerships.ts';
import { redactor } from './attempt/redaction.ts';
import type { ChannelResource } from './channel-resource.ts';
import { ClockWatch } from './clock-watch.ts';
import { Dispatcher } from './dispatcher.ts';
import { Handoff } from './handoff.ts';
import { Listening, type ListeningOptions } from './listening.ts';
import { Ownership, type OwnershipOptions } from './ownership.ts';
import { Runner } from './runner.ts';
import { Release, type ReleaseOptions } from './schedule/release.ts';
import { Sender, type SenderOptions } from './sender.ts';

const POLL_INTERVAL_MS = 1_000;
/** Messages in flight at once, over all integrations. */
const MAX_IN_FLIGHT = 512;
/** Time to record the last results when the service stops. */
const LAST_ROUNDS_MS = 3_000;

export type DeliveryOptions = Omit<SenderOptions, 'node' | 'isOwner' | 'settle'> &
  Pick<ListeningOptions, 'receive'> &
  Pick<OwnershipOptions, 'role'> & {
    /** Called when this node has released an integration. */
    released(integrationId: Id): void;
    /** Called when an integration of another node has a message that is due. */
    dueElsewhere(integrationId: Id): void;
  } & Pick<ReleaseOptions, 'ended' | 'feedChanged' | 'chooseAgain'>;

/**
 * Delivers messages. Ownership decides which integrations this node sends for; dispatch rounds start messages and
 * record results; the sender makes the attempts.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #ownership: Ownership;
  readonly #dispatcher: Dispatcher;
  readonly #sender: Sender;
  readonly #listening: Listening;
  readonly #handoff: Handoff;
  readonly #clockWatch: ClockWatch;
  readonly #release: Release;
  #isStopping = false;
  /** Set while a stop is waiting; called after each dispatch round. */
  #onRoundEnded: (() => void) | undefined;
  #cancelPoll: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { store, clock, log, role } = options;
    this.#clockWatch = new ClockWatch(clock);
    const wake = (integrationId: Id) => {
      if (!this.wake(integrationId)) options.dueElsewhere(integrationId);
    };
    const { feedChanged, ended } = options;
    const chooseAgain = options.chooseAgain.bind(options);
    this.#release = new Release({ store, clock, log, wake, feedChanged, ended, chooseAgain });
    const observer = {
      gained: (owned: OwnedIntegration[]) => this.#gain(owned),
      owns: (owned: OwnedIntegration[]) => this.#reconcile(owned),
      surplus: (count: number) => this.#handoff.release(this.#dispatcher.runners.values(), count),
      // Another node may own the integrations by now, so neither sending nor listening may continue.
      lapsed: () => {
        this.#sender.abortFlights();
        this.#listening.endAll();
      },
      leased: () => this.#dispatcher.resume(),
    };
    this.#ownership = new Ownership({ store, clock, log, role, observer });
    const node = this.#ownership.node.id;
    this.#sender = new Sender({
      ...options,
      node,
      isOwner: () => this.#ownership.isValid,
      recorded: (result) => {
        options.recorded(result);
        if (result.state === 'scheduled' && isBetweenRoutes(result.reason)) this.#release.poke();
      },
      settle: (result, runner) => this.#dispatcher.settle(result, runner),
    });
    this.#listening = new Listening({
      ...options,
      storeCredentials: (runner, resource, changed) =>
        this.#sender.storeCredentials(runner, resource, changed),
    });
    this.#dispatcher = new Dispatcher({
      store,
      clock,
      log,
      node,
      maxInFlight: MAX_IN_FLIGHT,
      mayStart: () => !this.#isStopping && this.#ownership.isValid,
      start: (claimed, runner) => void this.#sender.send(claimed, runner),
      acknowledge: (result, isRecorded) => this.#sender.acknowledge(result, isRecorded),
      learn: (runner, status) => {
        this.#learn(runner, status);
        const isOpen = status.open && !runner.isLeaving && !this.#isStopping;
        this.#listening.update(runner, isOpen);
      },
      recover: (runner) => void this.#sender.recovered(runner),
      lose: (runner) => this.#lose(runner),
      requeueUnknown: () => this.#requeue(),
      roundEnded: () => {
        this.#handoff.resume();
        this.#onRoundEnded?.();
      },
    });
    this.#handoff = new Handoff({
      store,
      log,
      node,
      isBusy: (runner) =>
        runner.isClaiming || this.#dispatcher.needsInspection || this.#sender.isBusy(runner),
      endSession: (runner) => this.#listening.endGracefully(runner),
      released: (runner) => {
        this.#dispatcher.remove(runner);
        this.#lose(runner);
        this.#options.released(runner.integrationId);
      },
    });
  }

  /** Whether delivery is only waiting, for channels or for a due time. */
  get isQuiet(): boolean {
    return this.#dispatcher.isQuiet && !this.#handoff.isRunning && !this.#release.isRunning;
  }

  get inFlight(): number {
    return this.#sender.inFlight;
  }

  /** The number of integrations this node owns. */
  get owned(): number {
    return this.#dispatcher.runners.size;
  }

  get node(): string {
    return this.#ownership.node.id;
  }

  get hasPeers(): boolean {
    return this.#ownership.hasPeers;
  }

  async start(): Promise<void> {
    await this.#ownership.claim();
    this.#release.start();
    await this.#poll();
  }

  /** Call when an integration may have a due message. Returns whether this node owns the integration. */
  wake(integrationId: Id): boolean {
    this.#dispatcher.wake(integrationId);
    return this.#dispatcher.runners.has(integrationId);
  }

  /** The channel's open resources for an integration that this node owns. */
  resourceOf(integrationId: Id): ChannelResource | undefined {
    return this.#dispatcher.runners.get(integrationId)?.resource;
  }

  /** Call when an integration was created or changed. Returns whether this node owns it. */
  changed(integrationId: Id): boolean {
    const isOwned = this.wake(integrationId);
    if (!isOwned) this.claim();
    return isOwned;
  }

  /** Call when an integration may be unowned. */
  claim(): void {
    void this.#ownership.claim();
  }

  /** Whether this node, as far as it knows, delivers the application's events to its webhook. */
  ownsEndpointOf(applicationId: Id): boolean {
    return this.#dispatcher
      .runnersOf(applicationId)
      .some(({ config }) => !config || config.channel.name === ENDPOINT);
  }

  /** Call when any integration or the webhook of an application may have changed. */
  changedAll(applicationId: Id): void {
    this.claim();
    for (const { integrationId } of this.#dispatcher.runnersOf(applicationId))
      this.wake(integrationId);
  }

  /** Starts no more messages, waits up to `timeoutMs` for those in flight, and releases all integrations. */
  async stop(timeoutMs: Millis): Promise<void> {
    this.#isStopping = true;
    this.#cancelPoll?.();
    const allReleased = this.#release.stop();
    const sessionsEnded = this.#listening.endAllGracefully();
    void this.#ownership.leave();
    // Idle integrations move to other nodes at once, even if busy ones take long.
    this.#handoff.releaseAll(this.#dispatcher.runners.values());
    await this.#until(() => this.#sender.inFlight === 0, timeoutMs);
    this.#sender.abortFlights();
    await this.#until(
      () => this.#sender.inFlight === 0 && this.#dispatcher.isQuiet,
      LAST_ROUNDS_MS,
    );
    await sessionsEnded;
    await allReleased;
    const left = [...this.#dispatcher.runners.values()];
    for (const runner of left) await runner.close();
    await this.#ownership.stop();
    for (const { integrationId } of left) this.#options.released(integrationId);
  }

  /** Stops without releasing anything, like a killed process. For tests. */
  abandon(): void {
    this.#isStopping = true;
    this.#cancelPoll?.();
    this.#release.abandon();
    this.#listening.endAll();
    this.#ownership.abandon();
  }

  /** Checks the condition after each round. Times out in real time, because a stop must end. */
  async #until(isDone: () => boolean, timeoutMs: Millis): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#onRoundEnded = () => {
      if (isDone()) resolve();
    };
    this.#onRoundEnded();
    await promise;
    clearTimeout(timer);
    this.#onRoundEnded = undefined;
  }

  /** Finds work whose signal was lost: messages that another process accepted, changes made on another node. */
  async #poll(): Promise<void> {
    const { clock, log, observer } = this.#options;
    try {
      const now = clock.now();
      await this.#handleClockStep(now);
      observer.oldestDue(await this.#wakeDue(now));
    } catch (error) {
      log.warn({ err: error }, 'looking up due messages failed, retrying');
    }
    this.#handoff.resume();
    if (this.#isStopping) return;
    this.#cancelPoll = clock.after(POLL_INTERVAL_MS, () => void this.#poll());
  }

  /** Wakes the integrations with due messages; returns how long the oldest message has been due. */
  async #wakeDue(now: Millis): Promise<Millis> {
    const { ownerships } = this.#options.store;
    let oldest = 0;
    for (let page: DuePage | undefined; !page || page.next;) {
      page = await ownerships.due(this.node, now, page?.next);
      for (const { integrationId, dueAt } of page.due) {
        this.wake(integrationId);
        oldest = Math.max(oldest, now - dueAt);
      }
    }
    return oldest;
  }

  async #handleClockStep(now: Millis): Promise<void> {
    const by = this.#clockWatch.backwardStep();
    if (by === 0) return;
    const { store, log } = this.#options;
    const { id } = this.#ownership.node;
    await store.ownerships.moveDueTimesBack(id, by, now);
    await store.routes.moveBack(id, by, now);
    this.#clockWatch.markHandled(by);
    log.warn({ ms: by }, 'clock moved backwards, rescheduling');
    for (const { integrationId } of this.#dispatcher.runners.values()) this.wake(integrationId);
  }

  async #gain(owned: OwnedIntegration[]): Promise<void> {
    for (const one of owned) {
      const before = this.#dispatcher.runners.get(one.integrationId);
      if (before) {
        this.#dispatcher.remove(before);
        this.#lose(before);
      }
      this.#dispatcher.add(new Runner(one, this.#options.clock));
    }
    const { store, clock } = this.#options;
    await store.lanes.repair(owned, clock.now());
    for (const message of await store.deliveries.inFlight(owned)) {
      const runner = this.#dispatcher.runners.get(message.integrationId);
      if (runner && !runner.isRecovered) this.#sender.recover(message, runner);
    }
    for (const { integrationId, fence } of owned) {
      const runner = this.#dispatcher.runners.get(integrationId);
      if (runner?.fence === fence) runner.isRecovered = true;
      this.wake(integrationId);
    }
  }

  /** Corrects this node's view of what it owns by the store's, and looks for messages started without its knowledge. */
  async #reconcile(owned: OwnedIntegration[]): Promise<void> {
    const fences = new Map(owned.map(({ integrationId, fence }) => [integrationId, fence]));
    for (const runner of this.#dispatcher.runners.values()) {
      if (fences.get(runner.integrationId) === runner.fence) continue;
      this.#dispatcher.remove(runner);
      this.#lose(runner);
    }
    const missing = owned.filter(({ integrationId, fence }) => {
      const runner = this.#dispatcher.runners.get(integrationId);
      return runner?.fence !== fence || !runner.isRecovered;
    });
    if (missing.length > 0) await this.#gain(missing);
    this.#dispatcher.inspect();
  }

  /**
   * Requeues messages that the store shows as being sent but that this node is not sending: a round started them and
   * its response was lost.
   */
  async #requeue(): Promise<void> {
    const owned = [...this.#dispatcher.runners.values()].filter((runner) => runner.isRecovered);
    for (const message of await this.#options.store.deliveries.inFlight(owned)) {
      const runner = this.#dispatcher.runners.get(message.integrationId);
      if (!runner?.isRecovered || this.#sender.has(message.id, runner)) continue;
      this.#sender.requeue(message, runner);
    }
  }

  #lose(runner: Runner): void {
    this.#handoff.forget(runner);
    this.#sender.abortFlights(runner);
    this.#listening.end(runner);
    void runner.close();
  }

  /** Applies the integration's status from a dispatch round. */
  #learn(runner: Runner, status: IntegrationStatus): void {
    const { name, credentials: sealed, mode, uncertain, unhealthy, quietHours: quiet } = status;
    runner.isUnhealthy = unhealthy;
    if (name === null || sealed === null || mode === null || uncertain === null) return;
    const channel = this.#options.findChannel(name);
    if (!channel) {
      const detail = `this version of Switchboard has no channel ${name}`;
      return runner.setBlocker({ detail, sealed });
    }
    const { config } = runner;
    if (config?.channel === channel && runner.isUsing(sealed)) {
      const quietHours = config.quiet === quiet ? config.quietHours : readQuietHours(quiet);
      return runner.setConfig({ ...config, mode, uncertain, quiet, quietHours });
    }
    try {
      const credentials = this.#options.store.deliveries.open(status);
      const redact = redactor(channel, credentials);
      const quietHours = readQuietHours(quiet);
      const settings = { mode, sealed, uncertain, quiet, quietHours, redact };
      runner.setConfig({ channel, credentials, ...settings });
    } catch (error) {
      const { integrationId } = runner;
      this.#options.log.error(
        { err: error, integration_id: integrationId },
        'credentials cannot be decrypted',
      );
      const detail = 'the key ring of the service cannot decrypt the credentials';
      runner.setBlocker({ detail, sealed });
    }
  }
}
