import { randomUUID } from 'node:crypto';

import pg from 'pg';

import type { Id } from '../../model/id.ts';
import type { Signal, SignalListener, Signals } from '../delivery/signals.ts';
import { readSignals, writeSignals } from './signal-text.ts';

/** Collects signals for this long before sending them together. */
const COLLECT_MS = 5;
const MIN_RECONNECT_MS = 100;
const MAX_RECONNECT_MS = 5_000;
/** How often to check that this node's signals come back. */
const SELF_TEST_INTERVAL_MS = 10_000;

const SELF_TEST_FAILED =
  'notifications do not arrive; a pooler in front of the database must use session pooling for this connection';

const LISTEN = 'listen switchboard';
const NOTIFY = `select pg_notify('switchboard', text) from unnest($1::text[]) as text`;

export interface PostgresSignalsOptions {
  url: string;
  /** Called each time the connection fails; no signals arrive until it is reopened. */
  onError(error: Error): void;
}

/**
 * Signals by LISTEN and NOTIFY, over a dedicated connection that is reopened when it breaks. Sending uses it too: a
 * transaction that notifies holds a global lock until its commit is flushed, so it must not store anything; and since
 * it stores nothing, its commit need not be flushed.
 */
export class PostgresSignals implements Signals {
  readonly #options: PostgresSignalsOptions;
  readonly #sender = randomUUID();
  readonly #pending = new Map<Signal, Set<Id>>();
  #listener: SignalListener | undefined;
  #client: pg.Client | undefined;
  readonly #failed = new WeakSet<pg.Client>();
  #reconnectMs = MIN_RECONNECT_MS;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #selfTestTimer: NodeJS.Timeout | undefined;
  #hasReceivedSelfTest = false;
  #isClosed = false;

  constructor(options: PostgresSignalsOptions) {
    this.#options = options;
  }

  listen(listener: SignalListener): void {
    this.#listener = listener;
    void this.#connect();
  }

  send(signal: Signal, id: Id): void {
    // Without a connection the signal is lost; other nodes find the change by polling.
    if (!this.#client) return;
    const ids = this.#pending.get(signal);
    if (ids) ids.add(id);
    else this.#pending.set(signal, new Set([id]));
    this.#timer ??= setTimeout(() => void this.#flush(), COLLECT_MS).unref();
  }

  /** Sends pending signals and stops listening. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sending;
    await this.#flush();
    clearTimeout(this.#selfTestTimer);
    await this.#client?.end().catch(() => {});
  }

  /** One at a time: signals that arrive meanwhile are sent together. Never rejects. */
  async #flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#sending ??= this.#sendPending().finally(() => {
      this.#sending = undefined;
      this.#timer = undefined;
      if (this.#pending.size > 0)
        this.#timer = setTimeout(() => void this.#flush(), COLLECT_MS).unref();
    });
    await this.#sending;
  }

  async #sendPending(): Promise<void> {
    const client = this.#client;
    const texts = this.#pending.size > 0 ? writeSignals(this.#sender, this.#pending) : [];
    this.#pending.clear();
    if (!client || texts.length === 0) return;
    await client.query(NOTIFY, [texts]).catch((error: unknown) => this.#fail(client, error));
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
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    try {
      await client.connect();
      await client.query('set synchronous_commit = off');
      await client.query(LISTEN);
      if (this.#isClosed) {
        await client.end();
        return;
      }
      this.#client = client;
      this.#reconnectMs = MIN_RECONNECT_MS;
      this.#listener?.missed();
      void this.#selfTest(client);
    } catch (error) {
      this.#fail(client, error);
    }
  }

  /** Reconnects after a delay that grows with each failure. */
  #fail(client: pg.Client, error: unknown): void {
    if (this.#isClosed || this.#failed.has(client)) return;
    this.#failed.add(client);
    this.#client = undefined;
    this.#pending.clear();
    clearTimeout(this.#selfTestTimer);
    this.#options.onError(error instanceof Error ? error : new Error(String(error)));
    // The connection may be broken in any way; do not wait for it to close.
    void client.end().catch(() => {});
    setTimeout(() => void this.#connect(), this.#reconnectMs).unref();
    this.#reconnectMs = Math.min(this.#reconnectMs * 2, MAX_RECONNECT_MS);
  }

  /**
   * Sends a signal to itself. It does not arrive if the server vanished silently, or if a transaction pooler is in
   * between.
   */
  async #selfTest(client: pg.Client): Promise<void> {
    this.#hasReceivedSelfTest = false;
    try {
      await client.query(NOTIFY, [[this.#sender]]);
      // A notification arrives before the response or right after it.
      this.#selfTestTimer = setTimeout(() => {
        if (this.#hasReceivedSelfTest) void this.#selfTest(client);
        else this.#fail(client, new Error(SELF_TEST_FAILED));
      }, SELF_TEST_INTERVAL_MS).unref();
    } catch (error) {
      this.#fail(client, error);
    }
  }

  #receive(text: string): void {
    const { sender, signals } = readSignals(text);
    if (sender === this.#sender) {
      this.#hasReceivedSelfTest = true;
      return;
    }
    for (const [signal, ids] of signals) for (const id of ids) this.#listener?.[signal](id);
  }
}
