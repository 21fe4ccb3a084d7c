import type { Channel, Failure } from '../channels/channel.ts';
import type { Arrival } from '../channels/inbound.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { OutgoingNetwork } from '../lib/outgoing.ts';
import type { Integration } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import { contextOf, faultOutcome } from './attempt.ts';
import { Files } from './files.ts';
import type { Keeper } from './keeper.ts';
import type { Runner, Terms } from './runner.ts';

/** How long to wait before a session that ended is opened again, in milliseconds: longer each time. */
const SHORTEST = 1_000;
const LONGEST = 5 * 60_000;
/** A session that lasted so long was a good one. */
const GOOD = 60_000;
/** How long a session may take to end before it is not waited for any more. */
const PATIENCE = 5_000;

export interface ListeningOptions {
  store: Store;
  clock: Clock;
  log: Log;
  network: OutgoingNetwork;
  operatorUrl(channel: Channel): string | undefined;
  /** Stores credentials that the channel has replaced. */
  renew(runner: Runner, keeper: Keeper, changed: Terms['credentials']): Promise<void>;
  /** Stores what was heard; resolves when it is on disk. */
  hear(
    integration: Pick<Integration, 'id' | 'applicationId' | 'name'>,
    arrivals: readonly Arrival[],
    cursor?: string,
  ): Promise<void>;
}

interface Session {
  /** What is kept by it: another one means that credentials have changed. */
  keeper: Keeper;
  abort: AbortController;
  /** Aborted when nothing is stored for it any more: another session may have taken its place. */
  closed: AbortController;
  /** Settles when it has ended. */
  ended: Promise<void>;
  /** Set once it is ending in good order. */
  ending?: Promise<void>;
}

/** Hears what is written, for those of the integrations that this node owns whose channel has a session. */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #sessions = new Map<Runner, Session>();

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Listens, or listens no more, as the integration now stands. */
  tend(runner: Runner, isOpen: boolean): void {
    const { terms, keeper } = runner;
    const session = this.#sessions.get(runner);
    const isWanted = isOpen && terms?.channel.listen !== undefined;
    if (isWanted && session?.keeper === keeper) return;
    this.end(runner);
    if (!isWanted) return;
    const abort = new AbortController();
    const closed = new AbortController();
    const ended = this.#listen(runner, terms, keeper, abort.signal, closed.signal);
    this.#sessions.set(runner, { keeper, abort, closed, ended });
  }

  end(runner: Runner): void {
    const session = this.#sessions.get(runner);
    this.#sessions.delete(runner);
    session?.closed.abort();
    session?.abort.abort();
  }

  /** Ends it, and waits for that, but not for long. What it is reading meanwhile is still stored. */
  async ending(runner: Runner): Promise<void> {
    const session = this.#sessions.get(runner);
    if (!session) return;
    session.ending ??= this.#finish(session);
    await session.ending;
    if (this.#sessions.get(runner) === session) this.#sessions.delete(runner);
  }

  async #finish({ abort, closed, ended }: Session): Promise<void> {
    abort.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const callOff = this.#options.clock.after(PATIENCE, resolve);
    await Promise.race([ended, promise]);
    callOff();
    closed.abort();
  }

  endAll(): void {
    for (const runner of this.#sessions.keys()) this.end(runner);
  }

  async endingAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((runner) => this.ending(runner)));
  }

  /** Never rejects: it runs by itself, until the signal says to end. */
  async #listen(
    runner: Runner,
    terms: Terms,
    keeper: Keeper,
    signal: AbortSignal,
    closed: AbortSignal,
  ): Promise<void> {
    const { clock, log } = this.#options;
    const { integrationId } = runner;
    const { name } = terms.channel;
    for (let wait = SHORTEST; !signal.aborted;) {
      const began = clock.elapsed();
      const failure = await this.#session(runner, terms, keeper, signal, closed).catch(
        faultOutcome,
      );
      if (signal.aborted) return;
      const detail = failure && terms.redact(failure.detail);
      log.info(
        { integration_id: integrationId, channel: name, detail },
        'a session ended; it is opened again',
      );
      if (clock.elapsed() - began > GOOD) wait = SHORTEST;
      await pause(clock, failure?.outcome === 'permanent' ? LONGEST : wait, signal);
      wait = Math.min(wait * 2, LONGEST);
    }
  }

  async #session(
    runner: Runner,
    terms: Terms,
    keeper: Keeper,
    signal: AbortSignal,
    closed: AbortSignal,
  ): Promise<Failure | undefined> {
    const { store, network, clock, operatorUrl, hear, renew } = this.#options;
    const { integrationId, applicationId } = runner;
    const { channel } = terms;
    const cursor = await store.integrations.cursorOf(applicationId, integrationId);
    const account = {
      ...terms,
      // Those that the channel has replaced since are with what is kept.
      credentials: keeper.credentials,
      operatorUrl: operatorUrl(channel),
      keep: keeper.keep,
      renew: (changed: Terms['credentials']) => renew(runner, keeper, changed),
    };
    const heard = { status: null, request: null, body: null, answer: null, secrets: [] };
    const files = new Files(network, signal);
    const context = contextOf(account, { network, clock }, signal, heard, files);
    const integration = { id: integrationId, applicationId, name: channel.name };
    try {
      return await channel.listen?.({
        ...context,
        cursor,
        async arrive(arrivals, next) {
          closed.throwIfAborted();
          await hear(integration, arrivals, next);
        },
      });
    } finally {
      files.close();
    }
  }
}

function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const callOff = clock.after(milliseconds, resolve);
    signal.addEventListener('abort', () => {
      callOff();
      resolve();
    });
  });
}
