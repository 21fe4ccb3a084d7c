import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Owned } from '../store/ownerships.ts';
import type { Standing } from '../store/turn.ts';
import { DateWatch } from './date-watch.ts';
import { Listening, type ListeningOptions } from './listening.ts';
import { Ownership } from './ownership.ts';
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
  Pick<ListeningOptions, 'hear'>;

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
  readonly #dateWatch: DateWatch;
  #isStopping = false;
  #callOffPoll: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { store, clock, log } = options;
    this.#dateWatch = new DateWatch(clock);
    this.#ownership = new Ownership(store, clock, log, {
      gained: (owned) => this.#gain(owned),
      owns: (owned) => this.#reconcile(owned),
      // What may be another's by now must not go on being sent, nor heard.
      lapsed: () => {
        this.#sender.giveUp();
        this.#listening.endAll();
      },
      leased: () => this.#turns.goOn(),
    });
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
        this.#listening.tend(runner, standing.open && !this.#isStopping);
      },
      lose: (runner) => this.#lose(runner),
      giveBackUnknown: () => this.#giveBack(),
    });
  }

  /** Whether nothing is going on but waiting: for channels, or for a time. */
  get isQuiet(): boolean {
    return this.#turns.isQuiet;
  }

  async start(): Promise<void> {
    await this.#ownership.claim();
    await this.#poll();
  }

  /** A message was accepted for an integration, or may go on. */
  wake(integrationId: Id): void {
    this.#turns.wake(integrationId);
  }

  /** An integration was made or changed. */
  changed(integrationId: Id): void {
    if (this.#turns.runners.has(integrationId)) this.wake(integrationId);
    else void this.#ownership.claim();
  }

  /** All integrations of an application may have changed. */
  changedAll(applicationId: Id): void {
    for (const runner of this.#turns.runners.values()) {
      if (runner.applicationId === applicationId) this.wake(runner.integrationId);
    }
  }

  /** Starts nothing more, waits for what is under way, and lets go of everything. */
  async stop(patience: Millis): Promise<void> {
    this.#isStopping = true;
    this.#callOffPoll?.();
    this.#listening.endAll();
    await until(() => this.#sender.underWay === 0, patience);
    this.#sender.giveUp();
    await until(() => this.#sender.underWay === 0 && this.#turns.isQuiet, LAST_TURNS);
    for (const runner of this.#turns.runners.values()) await runner.close();
    await this.#ownership.stop();
  }

  /** Ends as a process does that is killed. */
  abandon(): void {
    this.#isStopping = true;
    this.#callOffPoll?.();
    this.#listening.endAll();
    this.#ownership.abandon();
  }

  /** Finds what nobody said: what another process accepted, what another node changed. */
  async #poll(): Promise<void> {
    const { store, clock, log, observer } = this.#options;
    try {
      const now = clock.now();
      await this.#mindDate(now);
      const due = await store.ownerships.due(this.#ownership.node.id, now);
      for (const { integrationId } of due) this.wake(integrationId);
      observer.oldestDue(due.reduce((age, { dueAt }) => Math.max(age, now - dueAt), 0));
    } catch (error) {
      log.warn({ err: error }, 'looking for what is due failed; it is tried again');
    }
    if (this.#isStopping) return;
    this.#callOffPoll = clock.after(POLL_EVERY, () => void this.#poll());
  }

  async #mindDate(now: Millis): Promise<void> {
    const by = this.#dateWatch.setBackBy();
    if (by === 0) return;
    const { store, log } = this.#options;
    await store.ownerships.setBack(this.#ownership.node.id, by, now);
    this.#dateWatch.seenTo(by);
    log.warn({ milliseconds: by }, 'the date was set back; what was waited for comes earlier');
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
    for (const message of await this.#options.store.deliveries.underWay(owned)) {
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
    this.#sender.giveUp(runner);
    this.#listening.end(runner);
    void runner.close();
  }

  /** Takes over what a turn says of an integration. */
  #learn(runner: Runner, standing: Standing): void {
    const { name, credentials: sealed, uncertain, failing } = standing;
    runner.isFailing = failing;
    if (name === null || sealed === null || uncertain === null) return;
    const channel = this.#options.findChannel(name);
    if (!channel) return runner.setTrouble(`the channel ${name} is not known any more`);
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
      this.#options.log.error({ err: error, integrationId }, 'credentials cannot be opened');
      runner.setTrouble('the credentials cannot be opened with the key ring of the service');
    }
  }
}

async function until(isSo: () => boolean, patience: Millis): Promise<void> {
  const end = performance.now() + patience;
  while (!isSo() && performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
