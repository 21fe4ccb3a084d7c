import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import { isRefused } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import type { Settlement, Standing, Taken, Want } from '../store/turn.ts';
import { ReadyLine } from './ready-line.ts';
import type { Runner } from './runner.ts';

/** How much one turn records, and for how many integrations it starts messages, at the most. */
const SETTLED_AT_ONCE = 500;
const ASKED_AT_ONCE = 100;
/**
 * An integration with so many still under way will have more results shortly. They are waited for, so many milliseconds and
 * until there are so many: a turn for ten costs little more than one for a single result, and others can go in between.
 */
const MORE_TO_COME = 4;
const GATHERED_FOR = 4;
const ENOUGH = 16;
/** How many results have to wait for a turn to record them while another one records. */
const WORTH_ANOTHER = 64;
/** How long to wait when the store does not take a turn, in milliseconds. */
const PATIENCE = 1_000;

export interface TurnsOptions {
  store: Store;
  clock: Clock;
  log: Log;
  node: string;
  /** How many messages may be under way at once, over all integrations. */
  atOnce: number;
  /** Whether messages may be started just now. */
  mayStart(): boolean;
  /** Sends what was taken. */
  start(taken: Taken, runner: Runner): void;
  /** Told that a settlement is on record, or was refused. */
  acknowledge(settlement: Settlement, isRecorded: boolean): void;
  /** Takes over what a turn says of an integration. */
  learn(runner: Runner, standing: Standing): void;
  /** Records that the integration has recovered. */
  recover(runner: Runner): void;
  /** Told that another node owns the integration. */
  lose(runner: Runner): void;
  /** Gives back what was started without this node knowing. */
  giveBackUnknown(): Promise<void>;
  /** Told that a turn has ended. */
  ended(): void;
}

/**
 * The heartbeat of delivery. Each turn records what became of messages and starts others, all in one go;
 * what comes up while a turn is under way waits for the next. Integrations take turns too: whoever was
 * asked goes to the end of the line, and none takes more than its share.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #runners = new Map<Id, Runner>();
  readonly #byApplication = new Map<Id, Set<Runner>>();
  /** Those that may have something due, and room for it, in the order of their turns. */
  readonly #ready = new ReadyLine();
  readonly #results: Settlement[] = [];
  /** Those whose messages have ended, while it is waited for more results. */
  readonly #freed = new Set<Runner>();
  #endGathering: (() => void) | undefined;
  #scheduled = false;
  /** How many turns were begun, and how many are being made. */
  #turns = 0;
  #underWay = 0;
  #broken = false;
  /** Settlements one of which the store refuses: they are recorded one by one. */
  readonly #suspects: Settlement[] = [];
  /** How many messages are being sent or asked for, and how many of them by each team. */
  #sending = 0;
  readonly #sendingOf = new Map<Id | null, number>();
  #recording = 0;
  #turnEnded = Promise.withResolvers<void>();

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  get runners(): ReadonlyMap<Id, Runner> {
    return this.#runners;
  }

  /** Whether messages may have been started without this node knowing. */
  get isBroken(): boolean {
    return this.#broken;
  }

  /** Whether no turn is being made or about to be. */
  get isQuiet(): boolean {
    return this.#underWay === 0 && !this.#scheduled;
  }

  /** Those of one application. */
  runnersOf(applicationId: Id): readonly Runner[] {
    return [...(this.#byApplication.get(applicationId) ?? [])];
  }

  add(runner: Runner): void {
    this.#runners.set(runner.integrationId, runner);
    const { applicationId } = runner;
    const own = this.#byApplication.get(applicationId) ?? new Set();
    this.#byApplication.set(applicationId, own.add(runner));
  }

  remove(runner: Runner): void {
    this.#ready.delete(runner);
    if (this.#runners.get(runner.integrationId) === runner) {
      this.#runners.delete(runner.integrationId);
    }
    const own = this.#byApplication.get(runner.applicationId);
    own?.delete(runner);
    if (own?.size === 0) this.#byApplication.delete(runner.applicationId);
  }

  /** Something may be due for an integration. */
  wake(integrationId: Id): void {
    const runner = this.#runners.get(integrationId);
    if (!runner) return;
    runner.woken = true;
    this.#getReady(runner);
  }

  /** Messages may be started again. */
  goOn(): void {
    this.#schedule();
  }

  /** A message has been sent, or not: this is to be put on record. */
  settle(settlement: Settlement, runner?: Runner): void {
    this.#results.push(settlement);
    if (runner) {
      this.#count(runner, -1);
      runner.ended();
      runner.woken = true;
      this.#freed.add(runner);
    }
    const isMoreToCome = runner !== undefined && runner.underWay >= MORE_TO_COME;
    if (!isMoreToCome || this.#results.length >= ENOUGH) this.#gathered();
    else this.#endGathering ??= this.#options.clock.after(GATHERED_FOR, () => this.#gathered());
  }

  /** There is nothing to wait for any more. */
  #gathered(): void {
    this.#endGathering?.();
    this.#endGathering = undefined;
    for (const runner of this.#freed) this.#getReady(runner);
    this.#freed.clear();
    this.#schedule();
  }

  #getReady(runner: Runner): void {
    if (this.#runners.get(runner.integrationId) !== runner || runner.isAsked) return;
    if (runner.room >= 1) {
      this.#ready.add(runner);
      this.#schedule();
    } else if (runner.roomAt !== undefined) {
      runner.sleepUntil(runner.roomAt, () => this.#getReady(runner));
    }
  }

  /** At the end of the event loop's turn, so that what was read in one goes together. */
  #schedule(): void {
    if (this.#scheduled || this.#broken || !this.#mayTurn()) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#turn();
    });
  }

  /**
   * Where the store can make several turns at once, who has just been woken need not wait until much has been recorded
   * for others; and what has to be recorded does not wait either, once it is much.
   */
  #mayTurn(): boolean {
    if (this.#underWay >= this.#options.store.engine.turnsAtOnce) return false;
    if (this.#ready.size > 0) return true;
    return this.#mayRecord && this.#results.length + this.#suspects.length > 0;
  }

  get #mayRecord(): boolean {
    if (this.#endGathering) return false;
    return this.#recording === 0 || this.#results.length >= WORTH_ANOTHER;
  }

  async #turn(): Promise<void> {
    const { store, clock, node, mayStart } = this.#options;
    const settlements = this.#mayRecord ? this.#toRecord() : [];
    const began = ++this.#turns;
    const asked = mayStart() ? this.#ask() : [];
    if (settlements.length === 0 && asked.length === 0) return;
    const records = settlements.length > 0;
    if (records) this.#recording++;
    this.#underWay++;
    if (records) this.#schedule();
    try {
      const wants = asked.map(({ want }) => want);
      const turn = { node, now: clock.now(), settlements, wants };
      const { refused, recovering, fault, taken, standings } = await store.deliveries.turn(turn);
      if (fault === undefined) this.#record(settlements, new Set(refused));
      else this.#keep(settlements, fault);
      for (const id of recovering) {
        const runner = this.#runners.get(id);
        if (runner) this.#options.recover(runner);
      }
      const byId = new Map(asked.map((one) => [one.runner.integrationId, one]));
      for (const standing of standings) this.#answer(standing, byId.get(standing.integrationId));
      for (const message of taken) this.#start(message, byId.get(message.integrationId));
      // A turn beside this one has asked for them before their lanes could go on.
      for (const { integrationId } of settlements) {
        if (this.#askedSince(integrationId, began)) this.wake(integrationId);
      }
    } catch (error) {
      for (const one of asked) one.more = true;
      this.#keep(settlements, error);
    } finally {
      this.#underWay--;
      if (records) this.#recording--;
      this.#turnEnded.resolve();
      this.#turnEnded = Promise.withResolvers();
      for (const { runner, want, more } of asked) {
        this.#count(runner, -want.count);
        runner.isAsked = false;
        if (more || runner.woken) this.#getReady(runner);
      }
    }
    this.#options.ended();
    this.#schedule();
  }

  #askedSince(integrationId: Id, turn: number): boolean {
    return (this.#runners.get(integrationId)?.lastAsked ?? 0) > turn;
  }

  #toRecord(): Settlement[] {
    const [suspect] = this.#suspects.splice(0, 1);
    return suspect ? [suspect] : this.#results.splice(0, SETTLED_AT_ONCE);
  }

  /** What is not on record is still to be recorded. */
  #keep(settlements: readonly Settlement[], error: unknown): void {
    if (isRefused(error) && settlements.length > 0) return this.#suspect(settlements, error);
    this.#results.unshift(...settlements);
    this.#breakDown(error);
  }

  /** The store takes none of them because of one. That one is recorded without what others have said. */
  #suspect(settlements: readonly Settlement[], error: unknown): void {
    const [first, ...others] = settlements;
    if (!first || others.length > 0) {
      this.#suspects.push(...settlements);
      return;
    }
    const { messageId, attempt, detail, channelIds } = first;
    const isBare = attempt === null && detail === null && channelIds === null;
    this.#options.log.error(
      { err: error, message_id: messageId },
      'a result cannot be recorded as it is',
    );
    // One that is refused even so is left alone: it counts as being sent until the next start.
    if (isBare) return;
    this.#suspects.unshift({ ...first, attempt: null, detail: null, channelIds: null });
  }

  #count({ teamId }: Runner, change: number): void {
    this.#sending += change;
    const own = (this.#sendingOf.get(teamId) ?? 0) + change;
    if (own > 0) this.#sendingOf.set(teamId, own);
    else this.#sendingOf.delete(teamId);
  }

  /**
   * Shares what may be started among those who are next. No team has more under way than is left
   * for all others, so that however many of them only wait for their channels, there is room for one more.
   */
  #ask(): Asked[] {
    let left = this.#options.atOnce - this.#sending;
    const share = Math.max(1, Math.floor(left / this.#ready.size));
    const asked: Asked[] = [];
    const ownOf = (teamId: Id | null) => this.#sendingOf.get(teamId) ?? 0;
    // A team without room stays in line: there is room again when something ends.
    for (const runner of this.#ready.take((teamId) => ownOf(teamId) < left)) {
      const own = ownOf(runner.teamId);
      // Each that it takes is one more for it and one less for the others.
      const count = Math.min(share, Math.ceil((left - own) / 2), runner.room);
      if (count < 1) {
        this.#getReady(runner);
        continue;
      }
      left -= count;
      runner.woken = false;
      runner.isAsked = true;
      runner.lastAsked = this.#turns;
      // Until it is known how many of them there are.
      this.#count(runner, count);
      const { applicationId, integrationId, fence } = runner;
      const want = { applicationId, integrationId, fence, count };
      asked.push({ runner, want, more: false });
      if (left < 1 || asked.length >= ASKED_AT_ONCE) break;
    }
    return asked;
  }

  #record(settlements: readonly Settlement[], refused: ReadonlySet<Id>): void {
    for (const settlement of settlements) {
      const { messageId, integrationId, state } = settlement;
      const isRecorded = !refused.has(messageId);
      this.#options.acknowledge(settlement, isRecorded);
      if (isRecorded) continue;
      this.#options.log.debug(
        { message_id: messageId, integration_id: integrationId, state },
        'a result was refused',
      );
    }
  }

  #answer(standing: Standing, one: Asked | undefined): void {
    if (!one) return;
    const { runner, want } = one;
    if (!standing.owned || (standing.name === null && runner.underWay === 0)) {
      this.remove(runner);
      this.#options.lose(runner);
      return;
    }
    // What is disabled or paused keeps no connection.
    if (!standing.open && runner.underWay === 0) void runner.closeKept();
    const next = standing.open ? standing.nextDueAt : standing.pausedUntil;
    if (next !== null) runner.sleepUntil(next, () => this.wake(runner.integrationId));
    this.#options.learn(runner, standing);
    one.more = standing.open && standing.found >= want.count;
  }

  #start(message: Taken, one: Asked | undefined): void {
    if (!one) return;
    this.#count(one.runner, 1);
    one.runner.started();
    this.#options.start(message, one.runner);
  }

  /** Nothing more is asked until it is known what the failed turn has started. */
  #breakDown(error: unknown): void {
    const { log } = this.#options;
    log.warn({ err: error }, 'the store did not take a turn of delivery; it is tried again');
    this.inspect(PATIENCE);
  }

  /**
   * Looks for messages that were started without this node knowing, as those of a turn whose answer was
   * lost. No turn is made meanwhile: what it is just starting must not be taken for one of them.
   */
  inspect(after = 0): void {
    if (this.#broken) return;
    this.#broken = true;
    if (after === 0) void this.#inspect();
    else this.#options.clock.after(after, () => void this.#inspect());
  }

  async #inspect(): Promise<void> {
    const { clock, log, giveBackUnknown } = this.#options;
    while (this.#underWay > 0) await this.#turnEnded.promise;
    try {
      await giveBackUnknown();
      this.#broken = false;
      this.#options.ended();
      this.#schedule();
    } catch (error) {
      log.warn({ err: error }, 'the store is not there for delivery; it is tried again');
      clock.after(PATIENCE, () => void this.#inspect());
    }
  }
}

interface Asked {
  runner: Runner;
  want: Want;
  more: boolean;
}
