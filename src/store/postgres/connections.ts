import { Socket } from 'node:net';

import pg from 'pg';

/** Timeout of a prompt statement and, separately, of the wait for a connection. */
export const PROMPT_TIMEOUT_MS = 4_000;
/** A connection that was idle for longer may have lost its server. The connections of a busy service are never idle this long. */
const PING_AFTER_IDLE_MS = 10;
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
const POOL_TIMEOUT_MESSAGE = 'timeout exceeded when trying to connect';

/** A connection that can be closed without the server's cooperation. */
class AbortableClient extends pg.Client {
  readonly socket: Socket;
  /** When it was taken from the pool; undefined while idle. */
  heldSince: number | undefined;
  /** When it was returned to the pool; undefined before the first time. */
  idleSince: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

/**
 * The connection pool. A connection whose server vanished silently, such as behind a firewall that dropped its state,
 * looks like a slow one. Statements that take milliseconds reveal the difference: if one gets no response in time,
 * all connections that have been idle or busy for as long are replaced. Therefore, a
 * connection that was idle first gets such a statement, in one packet with the statement of the caller, which may take
 * long.
 */
export class Connections {
  readonly pool: pg.Pool;
  readonly #open = new Set<AbortableClient>();

  constructor(config: pg.PoolConfig, onIdleError: (error: Error) => void) {
    this.pool = new pg.Pool({ ...config, Client: AbortableClient });
    this.pool.on('error', onIdleError);
    this.pool.on('connect', (client) => {
      // A broken connection already fails its query; without this listener, the event would end the process.
      client.on('error', () => {});
      if (client instanceof AbortableClient) this.#open.add(client);
    });
    this.pool.on('acquire', (client) => {
      if (!(client instanceof AbortableClient)) return;
      const now = performance.now();
      client.heldSince = now;
      const { idleSince = now } = client;
      if (now - idleSince >= PING_AFTER_IDLE_MS) void this.#ping(client);
    });
    this.pool.on('release', (_, client) => {
      if (!(client instanceof AbortableClient)) return;
      client.heldSince = undefined;
      client.idleSince = performance.now();
    });
    this.pool.on('remove', (client) => {
      if (client instanceof AbortableClient) this.#open.delete(client);
    });
  }

  /** Runs prompt statements. If one gets no response, closes the connections that have been silent for as long. */
  async runPrompt<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    let isSilent = false;
    try {
      return await work(client);
    } catch (error) {
      isSilent = hasMessage(error, READ_TIMEOUT_MESSAGE);
      throw error;
    } finally {
      client.release(isSilent);
      if (isSilent) this.#closeSilent();
    }
  }

  /** Nobody waits for it: it arrives before the statements of the caller. */
  async #ping(client: AbortableClient): Promise<void> {
    try {
      await client.query(withPromptTimeout({ text: 'select 1' }));
    } catch (error) {
      if (!hasMessage(error, READ_TIMEOUT_MESSAGE)) return;
      client.socket.destroy();
      this.#closeSilent();
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const before = this.pool.idleCount === 0 ? this.#bytesRead() : undefined;
    try {
      return await this.pool.connect();
    } catch (error) {
      // All connections are in use. They may just be busy, unless none has received anything meanwhile.
      if (hasMessage(error, POOL_TIMEOUT_MESSAGE) && this.#bytesRead() === before)
        this.#closeSilent();
      throw error;
    }
  }

  #bytesRead(): number {
    return this.#open.values().reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  }

  /** The error makes the pool forget it at once; a closed socket alone is noticed a moment later. */
  #closeIdle(client: AbortableClient): void {
    client.emit('error', new Error('the server does not answer'));
    client.socket.destroy();
  }

  #closeSilent(): void {
    const now = performance.now();
    for (const client of this.#open) {
      const { socket, heldSince, idleSince = 0 } = client;
      if (heldSince === undefined) {
        // One that answered meanwhile has not lost its server.
        if (now - idleSince >= PROMPT_TIMEOUT_MS) this.#closeIdle(client);
        continue;
      }
      const heldMs = now - heldSince;
      if (heldMs >= PROMPT_TIMEOUT_MS) {
        socket.destroy();
        continue;
      }
      // It may have lost its server too, but has not been silent for long enough.
      const { bytesRead } = socket;
      const timer = setTimeout(() => {
        if (client.heldSince === heldSince && socket.bytesRead === bytesRead) socket.destroy();
      }, PROMPT_TIMEOUT_MS - heldMs);
      timer.unref();
    }
  }
}

/** Adds a timeout to a statement; when it expires, the connection is closed. */
export function withPromptTimeout(
  query: pg.QueryConfig,
): pg.QueryConfig & { query_timeout: number } {
  return { ...query, query_timeout: PROMPT_TIMEOUT_MS };
}

function hasMessage(error: unknown, message: string): boolean {
  return error instanceof Error && error.message === message;
}
