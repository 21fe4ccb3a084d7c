import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { DuePage } from '../store/due.ts';
import { ENDPOINT } from '../store/integrations.ts';
import type { Owned } from '../store/ownerships.ts';
import type { Standing } from '../store/turn.ts';
import { DateWatch } from './date-watch.ts';
import type { Keeper } from './keeper.ts';
import { Listening, type ListeningOptions } from './listening.ts';
import { Ownership, type OwnershipOptions } from './ownership.ts';
import { Parting } from './parting.ts';
import { redactor } from './redaction.ts';
import { Runner } from './runner.ts';
import { Sender, type SenderOptions } from './sender.ts';
import { Turns } from './turns.ts';

const POLL_EVERY = 1_000;
/** How many messages may be under way at once, over all integrations. */
const AT_ONCE = 512;
/** How long results have to be recorded when the service stops, in milliseconds. */
const LAST_TURNS = 3_000;

export type DeliveryOptions = Omit<SenderOptions, 'node' | 'isOwner' | 'settle'> &
  Pick<ListeningOptions, 'hear'> &
  Pick<OwnershipOptions, 'role'> & {
    /** Told that nobody owns the integration any more. */
    freed(integrationId: Id): void;
  };

/**
 * Gets messages to their recipients. Ownership says for which integrations this node sends; turns start
 * messages and record what became of them; the sender sends them.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #ownership: Ownership;
  readonly #turns: Turns;
  readonly #sender: Sender;
  readonly #listening: Listening;
  readonly #parting: Parting;
  readonly #dateWatch: DateWatch;
  #isStopping = false;
  /** Called when a turn has ended, while a stop waits for something. */
  #awaited: (() => void) | undefined;
  #callOffPoll: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { store, clock, log, role } = options;
    this.#dateWatch = new DateWatch(clock);
    const observer = {
      gained: (owned: Owned[]) => this.#gain(owned),
      owns: (owned: Owned[]) => this.#reconcile(owned),
      surplus: (count: number) => this.#parting.give(this.#turns.runners.values(), count),
      // What may be another's by now must not go on being sent, nor heard.
      lapsed: () => {
        this.#sender.giveUp();
        this.#listening.endAll();
      },
      leased: () => this.#turns.goOn(),
    };
    this.#ownership = new Ownership({ store, clock, log, role, observer });
    const node = this.#ownership.node.id;
    this.#sender = new Sender({
      ...options,
      node,
      isOwner: () => this.#ownership.isValid,
      settle: (settlement, runner) => this.#turns.settle(settlement, runner),
    });
    this.#listening = new Listening({
      ...options,
      renew: (runner, keeper, changed) => this.#sender.renew(runner, keeper, changed),
    });
    this.#turns = new Turns({
      store,
      clock,
      log,
      node,
      atOnce: AT_ONCE,
      mayStart: () => !this.#isStopping && this.#ownership.isValid,
      start: (taken, runner) => void this.#sender.send(taken, runner),
      acknowledge: (settlement, isRecorded) => this.#sender.acknowledge(settlement, isRecorded),
      learn: (runner, standing) => {
        this.#learn(runner, standing);
        const isOpen = standing.open && !runner.isLeaving && !this.#isStopping;
        this.#listening.tend(runner, isOpen);
      },
      recover: (runner) => void this.#sender.recovered(runner),
      lose: (runner) => this.#lose(runner),
      giveBackUnknown: () => this.#giveBack(),
      ended: () => {
        this.#parting.goOn();
        this.#awaited?.();
      },
    });
    this.#parting = new Parting({
      store,
      log,
      node,
      isBusy: (runner) => runner.isAsked || this.#turns.isBroken || this.#sender.isBusy(runner),
      endSession: (runner) => this.#listening.ending(runner),
      parted: (runner) => {
        this.#turns.remove(runner);
        this.#lose(runner);
        this.#options.freed(runner.integrationId);
      },
    });
  }

  /** Whether nothing is going on but waiting: for channels, or for a time. */
  get isQuiet(): boolean {
    return this.#turns.isQuiet && !this.#parting.isUnderWay;
  }

  /** How many messages are on their way. */
  get underWay(): number {
    return this.#sender.underWay;
  }

  /** How many integrations this node sends for. */
  get owned(): number {
    return this.#turns.runners.size;
  }

  /** The name of this node. */
  get node(): string {
    return this.#ownership.node.id;
  }

  /** Whether there are other nodes. */
  get hasPeers(): boolean {
    return this.#ownership.hasPeers;
  }

  async start(): Promise<void> {
    await this.#ownership.claim();
    await this.#poll();
  }

  /** A message was accepted for an integration, or may go on. Answers whether this node owns it. */
  wake(integrationId: Id): boolean {
    this.#turns.wake(integrationId);
    return this.#turns.runners.has(integrationId);
  }

  /** What the channel keeps for an integration that this node sends for. */
  keeperOf(integrationId: Id): Keeper | undefined {
    return this.#turns.runners.get(integrationId)?.keeper;
  }

  /** An integration was made or changed. Answers whether this node owns it. */
  changed(integrationId: Id): boolean {
    const isOwned = this.wake(integrationId);
    if (!isOwned) this.claim();
    return isOwned;
  }

  /** There may be something to take. */
  claim(): void {
    void this.#ownership.claim();
  }

  /** Whether this node, as far as it knows, sends the events of an application to its endpoint. */
  ownsEndpointOf(applicationId: Id): boolean {
    return this.#turns
      .runnersOf(applicationId)
      .some(({ terms }) => !terms || terms.channel.name === ENDPOINT);
  }

  /** All integrations of an application may have changed, and it may have another endpoint. */
  changedAll(applicationId: Id): void {
    this.claim();
    for (const { integrationId } of this.#turns.runnersOf(applicationId)) this.wake(integrationId);
  }

  /** Starts nothing more, waits for what is under way, and lets go of everything. */
  async stop(patience: Millis): Promise<void> {
    this.#isStopping = true;
    this.#callOffPoll?.();
    const silence = this.#listening.endingAll();
    void this.#ownership.leave();
    // What waits for nothing goes on elsewhere at once, however long the rest takes.
    this.#parting.giveAll(this.#turns.runners.values());
    await this.#until(() => this.#sender.underWay === 0, patience);
    this.#sender.giveUp();
    await this.#until(() => this.#sender.underWay === 0 && this.#turns.isQuiet, LAST_TURNS);
    await silence;
    const left = [...this.#turns.runners.values()];
    for (const runner of left) await runner.close();
    await this.#ownership.stop();
    for (const { integrationId } of left) this.#options.freed(integrationId);
  }

  /** Ends as a process does that is killed. */
  abandon(): void {
    this.#isStopping = true;
    this.#callOffPoll?.();
    this.#listening.endAll();
    this.#ownership.abandon();
  }

  /** Waits until it is so after a turn, by the time of the machine: a stop must end. */
  async #until(isSo: () => boolean, patience: Millis): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience);
    this.#awaited = () => {
      if (isSo()) resolve();
    };
    this.#awaited();
    await promise;
    clearTimeout(timer);
    this.#awaited = undefined;
  }

  /** Finds what nobody said: what another process accepted, what another node changed. */
  async #poll(): Promise<void> {
    const { clock, log, observer } = this.#options;
    try {
      const now = clock.now();
      await this.#mindDate(now);
      observer.oldestDue(await this.#wakeDue(now));
    } catch (error) {
      log.warn({ err: error }, 'looking for what is due failed; it is tried again');
    }
    this.#parting.goOn();
    if (this.#isStopping) return;
    this.#callOffPoll = clock.after(POLL_EVERY, () => void this.#poll());
  }

  /** Wakes the integrations that have something to send; answers for how long the oldest has been due. */
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

  async #mindDate(now: Millis): Promise<void> {
    const by = this.#dateWatch.setBackBy();
    if (by === 0) return;
    const { store, log } = this.#options;
    await store.ownerships.setBack(this.#ownership.node.id, by, now);
    this.#dateWatch.seenTo(by);
    log.warn({ ms: by }, 'the date was set back; what was waited for comes earlier');
    for (const { integrationId } of this.#turns.runners.values()) this.wake(integrationId);
  }

  async #gain(owned: Owned[]): Promise<void> {
    for (const one of owned) {
      const before = this.#turns.runners.get(one.integrationId);
      if (before) {
        this.#turns.remove(before);
        this.#lose(before);
      }
      this.#turns.add(new Runner(one, this.#options.clock));
    }
    const { store, clock } = this.#options;
    await store.lanes.repair(owned, clock.now());
    for (const message of await store.deliveries.underWay(owned)) {
      const runner = this.#turns.runners.get(message.integrationId);
      if (runner && !runner.isRecovered) this.#sender.recover(message, runner);
    }
    for (const { integrationId, fence } of owned) {
      const runner = this.#turns.runners.get(integrationId);
      if (runner?.fence === fence) runner.isRecovered = true;
      this.wake(integrationId);
    }
  }

  /** Sets right what this node believes to own by what it does, and looks for what it started unawares. */
  async #reconcile(owned: Owned[]): Promise<void> {
    const fences = new Map(owned.map(({ integrationId, fence }) => [integrationId, fence]));
    for (const runner of this.#turns.runners.values()) {
      if (fences.get(runner.integrationId) === runner.fence) continue;
      this.#turns.remove(runner);
      this.#lose(runner);
    }
    const missing = owned.filter(({ integrationId, fence }) => {
      const runner = this.#turns.runners.get(integrationId);
      return runner?.fence !== fence || !runner.isRecovered;
    });
    if (missing.length > 0) await this.#gain(missing);
    this.#turns.inspect();
  }

  /** What is being sent, but not by this node that owns it, was started by a turn whose answer was lost. */
  async #giveBack(): Promise<void> {
    const owned = [...this.#turns.runners.values()].filter((runner) => runner.isRecovered);
    for (const message of await this.#options.store.deliveries.underWay(owned)) {
      const runner = this.#turns.runners.get(message.integrationId);
      if (!runner?.isRecovered || this.#sender.has(message.id, runner)) continue;
      this.#sender.giveBack(message, runner);
    }
  }

  #lose(runner: Runner): void {
    this.#parting.forget(runner);
    this.#sender.giveUp(runner);
    this.#listening.end(runner);
    void runner.close();
  }

  /** Takes over what a turn says of an integration. */
  #learn(runner: Runner, standing: Standing): void {
    const { name, credentials: sealed, uncertain, unhealthy } = standing;
    runner.isUnhealthy = unhealthy;
    if (name === null || sealed === null || uncertain === null) return;
    const channel = this.#options.findChannel(name);
    if (!channel) {
      const detail = `this version of the service does not know the channel ${name}`;
      return runner.setTrouble({ detail, sealed });
    }
    const { terms } = runner;
    if (terms?.sealed === sealed && terms.channel === channel) {
      return runner.setTerms({ ...terms, uncertain });
    }
    try {
      const credentials = this.#options.store.deliveries.open(standing);
      const redact = redactor(channel, credentials);
      runner.setTerms({ channel, credentials, sealed, uncertain, redact });
    } catch (error) {
      const { integrationId } = runner;
      this.#options.log.error(
        { err: error, integration_id: integrationId },
        'credentials cannot be opened',
      );
      const detail = 'the credentials cannot be opened with the key ring of the service';
      runner.setTrouble({ detail, sealed });
    }
  }
}
