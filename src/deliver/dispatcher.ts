import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type {
  AttemptResult,
  IntegrationStatus,
  ClaimedMessage,
  ClaimRequest,
} from '../store/delivery/dispatch-round.ts';
import { isRefused } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { ReadyQueue } from './ready-queue.ts';
import type { Runner } from './runner.ts';

const MAX_RESULTS_PER_ROUND = 500;
const MAX_INTEGRATIONS_PER_ROUND = 100;
/**
 * An integration with at least MIN_IN_FLIGHT messages in flight will have more results soon. The dispatcher batches them
 * for up to BATCHING_MS or until there are ENOUGH_RESULTS: a round for ten results costs little more than a round for
 * one, and fewer rounds leave the store to others.
 */
const MIN_IN_FLIGHT = 4;
const BATCHING_MS = 4;
const ENOUGH_RESULTS = 16;
/** This many waiting results start another recording round even while one is in progress. */
const MIN_CONCURRENT_RESULTS = 64;
/** The wait after a round failed. */
const RETRY_AFTER_MS = 1_000;

export interface DispatcherOptions {
  store: {
    engine: Pick<Store['engine'], 'maxConcurrentRounds'>;
    deliveries: Pick<Store['deliveries'], 'dispatch'>;
  };
  clock: Clock;
  log: Log;
  node: string;
  /** The maximum number of messages in flight, over all integrations. */
  maxInFlight: number;
  mayStart(): boolean;
  start(claimed: ClaimedMessage, runner: Runner): void;
  /** Called when a result was recorded, or refused by the store. */
  acknowledge(result: AttemptResult, isRecorded: boolean): void;
  /** Applies the integration's status from a round. */
  learn(runner: Runner, status: IntegrationStatus): void;
  recover(runner: Runner): void;
  /** Called when another node owns the integration. */
  lose(runner: Runner): void;
  /** Requeues messages that were started without this node's knowledge. */
  requeueUnknown(): Promise<void>;
  /** Called after each round. */
  roundEnded(): void;
}

/**
 * Runs dispatch rounds. Each round records results and starts messages in one store request; work that arrives during a
 * round waits for the next. Integrations are served in rotation: the last one served goes to the end of the queue, and
 * none gets more than its share.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #runners = new Map<Id, Runner>();
  readonly #byApplication = new Map<Id, Set<Runner>>();
  /** Integrations that may have a due message and have capacity, in the order they are served. */
  readonly #ready = new ReadyQueue();
  readonly #results: AttemptResult[] = [];
  /** Integrations with results, while the dispatcher batches more. */
  readonly #withResults = new Set<Runner>();
  #endBatching: (() => void) | undefined;
  #scheduled = false;
  /** The number of rounds started so far, and of those in progress. */
  #roundCount = 0;
  #roundsInProgress = 0;
  #needsInspection = false;
  /** Results of a refused batch. They are recorded one by one, to find the one that the store refuses. */
  readonly #suspects: AttemptResult[] = [];
  /** Messages in flight or being claimed, in total and by team. */
  #sending = 0;
  readonly #sendingByTeam = new Map<Id | null, number>();
  #recording = 0;
  #roundEnded = Promise.withResolvers<void>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get runners(): ReadonlyMap<Id, Runner> {
    return this.#runners;
  }

  /** Whether messages may have been started without this node's knowledge. */
  get needsInspection(): boolean {
    return this.#needsInspection;
  }

  /** Whether no round is in progress or scheduled. */
  get isQuiet(): boolean {
    return this.#roundsInProgress === 0 && !this.#scheduled;
  }

  runnersOf(applicationId: Id): readonly Runner[] {
    return [...(this.#byApplication.get(applicationId) ?? [])];
  }

  add(runner: Runner): void {
    this.#runners.set(runner.integrationId, runner);
    const { applicationId } = runner;
    const runners = this.#byApplication.get(applicationId) ?? new Set();
    this.#byApplication.set(applicationId, runners.add(runner));
  }

  remove(runner: Runner): void {
    this.#ready.delete(runner);
    if (this.#runners.get(runner.integrationId) === runner) {
      this.#runners.delete(runner.integrationId);
    }
    const runners = this.#byApplication.get(runner.applicationId);
    runners?.delete(runner);
    if (runners?.size === 0) this.#byApplication.delete(runner.applicationId);
  }

  /** Call when an integration may have a due message. */
  wake(integrationId: Id): void {
    const runner = this.#runners.get(integrationId);
    if (!runner) return;
    runner.woken = true;
    this.#enqueue(runner);
  }

  /** Call when messages may be started again. */
  resume(): void {
    this.#schedule();
  }

  /** Queues a result for recording. `runner` is given when a send has ended, which frees its capacity. */
  settle(result: AttemptResult, runner?: Runner): void {
    this.#results.push(result);
    if (runner) {
      this.#count(runner, -1);
      runner.ended();
      runner.woken = true;
      this.#withResults.add(runner);
    }
    const expectsMore = runner !== undefined && runner.inFlight >= MIN_IN_FLIGHT;
    if (!expectsMore || this.#results.length >= ENOUGH_RESULTS) this.#endBatch();
    else this.#endBatching ??= this.#options.clock.after(BATCHING_MS, () => this.#endBatch());
  }

  /** Ends the batching of results. */
  #endBatch(): void {
    this.#endBatching?.();
    this.#endBatching = undefined;
    for (const runner of this.#withResults) this.#enqueue(runner);
    this.#withResults.clear();
    this.#schedule();
  }

  #enqueue(runner: Runner): void {
    if (this.#runners.get(runner.integrationId) !== runner || runner.isClaiming) return;
    if (runner.capacity >= 1) {
      this.#ready.add(runner);
      this.#schedule();
    } else if (runner.capacityAt !== undefined) {
      runner.sleepUntil(runner.capacityAt, () => this.#enqueue(runner));
    }
  }

  /** Runs at the end of the event loop's turn, so that all work read in that turn shares a round. */
  #schedule(): void {
    if (this.#scheduled || this.#needsInspection || !this.#mayStartRound()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#round();
    });
  }

  /**
   * On a store that can run several rounds at once, a woken integration does not wait for a long recording, and many
   * waiting results do not either.
   */
  #mayStartRound(): boolean {
    if (this.#roundsInProgress >= this.#options.store.engine.maxConcurrentRounds) return false;
    if (this.#ready.size > 0) return true;
    return this.#mayRecord && this.#results.length + this.#suspects.length > 0;
  }

  get #mayRecord(): boolean {
    if (this.#endBatching) return false;
    return this.#recording === 0 || this.#results.length >= MIN_CONCURRENT_RESULTS;
  }

  async #round(): Promise<void> {
    const { store, clock, node, mayStart } = this.#options;
    const results = this.#mayRecord ? this.#nextResults() : [];
    const roundNumber = ++this.#roundCount;
    const requested = mayStart() ? this.#requestClaims() : [];
    if (results.length === 0 && requested.length === 0) return;
    const hasResults = results.length > 0;
    if (hasResults) this.#recording++;
    this.#roundsInProgress++;
    if (hasResults) this.#schedule();
    try {
      const claims = requested.map(({ claim }) => claim);
      const round = { node, now: clock.now(), results, claims };
      const { refused, recovering, fault, claimed, statuses } =
        await store.deliveries.dispatch(round);
      if (fault === undefined) this.#record(results, new Set(refused));
      else this.#requeueResults(results, fault);
      for (const id of recovering) {
        const runner = this.#runners.get(id);
        if (runner) this.#options.recover(runner);
      }
      const byId = new Map(requested.map((one) => [one.runner.integrationId, one]));
      for (const status of statuses) this.#applyStatus(status, byId.get(status.integrationId));
      for (const message of claimed) this.#start(message, byId.get(message.integrationId));
      // A concurrent round claimed for these integrations before this one freed their lanes.
      for (const { integrationId } of results) {
        if (this.#hasClaimedSince(integrationId, roundNumber)) this.wake(integrationId);
      }
    } catch (error) {
      for (const one of requested) one.hasMore = true;
      this.#requeueResults(results, error);
    } finally {
      this.#roundsInProgress--;
      if (hasResults) this.#recording--;
      this.#roundEnded.resolve();
      this.#roundEnded = Promise.withResolvers();
      for (const { runner, claim, hasMore } of requested) {
        this.#count(runner, -claim.count);
        runner.isClaiming = false;
        if (hasMore || runner.woken) this.#enqueue(runner);
      }
    }
    this.#options.roundEnded();
    this.#schedule();
  }

  #hasClaimedSince(integrationId: Id, round: number): boolean {
    return (this.#runners.get(integrationId)?.lastClaimRound ?? 0) > round;
  }

  #nextResults(): AttemptResult[] {
    const [suspect] = this.#suspects.splice(0, 1);
    return suspect ? [suspect] : this.#results.splice(0, MAX_RESULTS_PER_ROUND);
  }

  /** Keeps unrecorded results for another round. */
  #requeueResults(results: readonly AttemptResult[], error: unknown): void {
    if (isRefused(error) && results.length > 0) return this.#isolateRefused(results, error);
    this.#results.unshift(...results);
    this.#onRoundFailed(error);
  }

  /** The store refuses the batch because of one result. That one is recorded without any text from the vendor. */
  #isolateRefused(results: readonly AttemptResult[], error: unknown): void {
    const [first, ...others] = results;
    if (!first || others.length > 0) {
      this.#suspects.push(...results);
      return;
    }
    const { messageId, attempt, detail, channelIds } = first;
    const isBare = attempt === null && detail === null && channelIds === null;
    this.#options.log.error(
      { err: error, message_id: messageId },
      'store refused a result, recording it without the response',
    );
    // If it is refused again, give up: the message counts as being sent until the next start.
    if (isBare) return;
    this.#suspects.unshift({ ...first, attempt: null, detail: null, channelIds: null });
  }

  #count({ teamId }: Runner, change: number): void {
    this.#sending += change;
    const sending = (this.#sendingByTeam.get(teamId) ?? 0) + change;
    if (sending > 0) this.#sendingByTeam.set(teamId, sending);
    else this.#sendingByTeam.delete(teamId);
  }

  /**
   * Shares the free capacity among the next integrations. No team may have more messages in flight than capacity is left
   * for all others. So there is always capacity for one more team, even if many wait for slow channels.
   */
  #requestClaims(): RequestedClaim[] {
    let left = this.#options.maxInFlight - this.#sending;
    const share = Math.max(1, Math.floor(left / this.#ready.size));
    const requested: RequestedClaim[] = [];
    const sendingFor = (teamId: Id | null) => this.#sendingByTeam.get(teamId) ?? 0;
    // A team without capacity stays queued: it has capacity again when a message ends.
    for (const runner of this.#ready.take((teamId) => sendingFor(teamId) < left)) {
      const sending = sendingFor(runner.teamId);
      // Each message counts for the team and against the rest, hence half of the difference.
      const count = Math.min(share, Math.ceil((left - sending) / 2), runner.capacity);
      if (count < 1) {
        this.#enqueue(runner);
        continue;
      }
      left -= count;
      runner.woken = false;
      runner.isClaiming = true;
      runner.lastClaimRound = this.#roundCount;
      // Reserved until the round returns the number of messages.
      this.#count(runner, count);
      const { applicationId, integrationId, fence } = runner;
      const claim = { applicationId, integrationId, fence, count };
      requested.push({ runner, claim, hasMore: false });
      if (left < 1 || requested.length >= MAX_INTEGRATIONS_PER_ROUND) break;
    }
    return requested;
  }

  #record(results: readonly AttemptResult[], refused: ReadonlySet<Id>): void {
    for (const result of results) {
      const { messageId, integrationId, state } = result;
      const isRecorded = !refused.has(messageId);
      this.#options.acknowledge(result, isRecorded);
      if (isRecorded) continue;
      this.#options.log.debug(
        { message_id: messageId, integration_id: integrationId, state },
        'stale result refused',
      );
    }
  }

  #applyStatus(status: IntegrationStatus, one: RequestedClaim | undefined): void {
    if (!one) return;
    const { runner, claim } = one;
    if (!status.owned || (status.name === null && runner.inFlight === 0)) {
      this.remove(runner);
      this.#options.lose(runner);
      return;
    }
    // A disabled or paused integration keeps no connection open.
    if (!status.open && runner.inFlight === 0) void runner.closeResource();
    const next = status.open ? status.nextDueAt : status.pausedUntil;
    if (next !== null) runner.sleepUntil(next, () => this.wake(runner.integrationId));
    this.#options.learn(runner, status);
    one.hasMore = status.open && status.found > claim.count;
  }

  #start(message: ClaimedMessage, one: RequestedClaim | undefined): void {
    if (!one) return;
    this.#count(one.runner, 1);
    one.runner.started();
    this.#options.start(message, one.runner);
  }

  /** Starts no further round until the messages that the failed round started are found. */
  #onRoundFailed(error: unknown): void {
    const { log } = this.#options;
    log.warn({ err: error }, 'dispatch round failed, retrying');
    this.inspect(RETRY_AFTER_MS);
  }

  /**
   * Looks for messages that were started without this node's knowledge, by a round whose response was lost. No round runs
   * meanwhile, because messages that it is starting would look the same.
   */
  inspect(after = 0): void {
    if (this.#needsInspection) return;
    this.#needsInspection = true;
    if (after === 0) void this.#inspect();
    else this.#options.clock.after(after, () => void this.#inspect());
  }

  async #inspect(): Promise<void> {
    const { clock, log, requeueUnknown } = this.#options;
    while (this.#roundsInProgress > 0) await this.#roundEnded.promise;
    try {
      await requeueUnknown();
      this.#needsInspection = false;
      this.#options.roundEnded();
      this.#schedule();
    } catch (error) {
      log.warn({ err: error }, 'store unavailable, retrying delivery');
      clock.after(RETRY_AFTER_MS, () => void this.#inspect());
    }
  }
}

interface RequestedClaim {
  runner: Runner;
  claim: ClaimRequest;
  hasMore: boolean;
}
