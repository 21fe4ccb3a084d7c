import { randomUUID } from 'node:crypto';

import pg from 'pg';

import type { Id } from '../../model/id.ts';
import type { Signal, SignalListener, Signals } from '../signals.ts';
import { readSignals, writeSignals } from './signal-text.ts';

/** How long is waited for more to be told with it, in milliseconds. */
const TOGETHER = 5;
const SHORTEST_PAUSE = 100;
const LONGEST_PAUSE = 5_000;
/** How often it is tried whether what is told is heard. */
const TRIED_EVERY = 10_000;

const UNHEARD =
  'what this node tells others is not heard; a pooler in between must give it a session of its own';

const LISTEN = 'listen switchboard';
const TELL = `select pg_notify('switchboard', text) from unnest($1::text[]) as text`;

export interface PostgresSignalsOptions {
  url: string;
  /** Told why nothing is heard for now. */
  onTrouble(error: Error): void;
}

/**
 * Wakes by LISTEN and NOTIFY, over a connection of its own that is opened again whenever it breaks. Telling goes
 * that way too: a transaction that notifies waits for all others that do, as long as its commit takes, so it must
 * not be one that stores anything; and with nothing to store, its commit need not reach the disk.
 */
export class PostgresSignals implements Signals {
  readonly #options: PostgresSignalsOptions;
  readonly #who = randomUUID();
  readonly #told = new Map<Signal, Set<Id>>();
  #listener: SignalListener | undefined;
  #client: pg.Client | undefined;
  readonly #failed = new WeakSet<pg.Client>();
  #pause = SHORTEST_PAUSE;
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;
  #trial: NodeJS.Timeout | undefined;
  #hasHeardItself = false;
  #isClosed = false;

  constructor(options: PostgresSignalsOptions) {
    this.#options = options;
  }

  listen(listener: SignalListener): void {
    this.#listener = listener;
    void this.#connect();
  }

  tell(signal: Signal, id: Id): void {
    // Nobody hears what is told while there is no connection; it is found in the store.
    if (!this.#client) return;
    const ids = this.#told.get(signal);
    if (ids) ids.add(id);
    else this.#told.set(signal, new Set([id]));
    this.#timer ??= setTimeout(() => void this.#flush(), TOGETHER).unref();
  }

  /** Says what is still to be said, and hears nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#telling;
    await this.#flush();
    clearTimeout(this.#trial);
    await this.#client?.end().catch(() => {});
  }

  /** One at a time: what is told meanwhile goes together. Never rejects. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#telling ??= this.#say().finally(() => {
      this.#telling = undefined;
      this.#timer = undefined;
      if (this.#told.size > 0) this.#timer = setTimeout(() => void this.#flush(), TOGETHER).unref();
    });
    await this.#telling;
  }

  async #say(): Promise<void> {
    const client = this.#client;
    const texts = this.#told.size > 0 ? writeSignals(this.#who, this.#told) : [];
    this.#told.clear();
    if (!client || texts.length === 0) return;
    await client.query(TELL, [texts]).catch((error: unknown) => this.#fail(client, error));
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'switchboard signals',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    client.on('error', (error) => this.#fail(client, error));
    client.on('end', () => this.#fail(client, new Error('the connection ended')));
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    try {
      await client.connect();
      await client.query('set synchronous_commit = off');
      await client.query(LISTEN);
      if (this.#isClosed) {
        await client.end();
        return;
      }
      this.#client = client;
      this.#pause = SHORTEST_PAUSE;
      this.#listener?.missed();
      void this.#try(client);
    } catch (error) {
      this.#fail(client, error);
    }
  }

  /** Opens another connection after a while, longer each time. */
  #fail(client: pg.Client, error: unknown): void {
    if (this.#isClosed || this.#failed.has(client)) return;
    this.#failed.add(client);
    this.#client = undefined;
    this.#told.clear();
    clearTimeout(this.#trial);
    this.#options.onTrouble(error instanceof Error ? error : new Error(String(error)));
    // It may be broken in any way; nobody waits for its end.
    void client.end().catch(() => {});
    setTimeout(() => void this.#connect(), this.#pause).unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  /**
   * Tells itself something. It does not hear it when the other end is gone without a word; and when there is a
   * pooler in between that gives each transaction another connection.
   */
  async #try(client: pg.Client): Promise<void> {
    this.#hasHeardItself = false;
    try {
      await client.query(TELL, [[this.#who]]);
      // What is told comes before the answer, or right after it.
      this.#trial = setTimeout(() => {
        if (this.#hasHeardItself) void this.#try(client);
        else this.#fail(client, new Error(UNHEARD));
      }, TRIED_EVERY).unref();
    } catch (error) {
      this.#fail(client, error);
    }
  }

  #hear(text: string): void {
    const { who, told } = readSignals(text);
    if (who === this.#who) {
      this.#hasHeardItself = true;
      return;
    }
    for (const [signal, ids] of told) for (const id of ids) this.#listener?.[signal](id);
  }
}
