import { Socket } from 'node:net';

import pg from 'pg';

/** Timeout of prompt statements, including the wait for a connection. */
export const PROMPT_TIMEOUT_MS = 4_000;
const READ_TIMEOUT_MESSAGE = 'Query read timeout';
const POOL_TIMEOUT_MESSAGE = 'timeout exceeded when trying to connect';

/** A connection that can be closed without the server's cooperation. */
class AbortableClient extends pg.Client {
  readonly socket: Socket;
  /** When it was taken from the pool; undefined while idle. */
  heldSince: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

/**
 * The connection pool. A connection whose server vanished silently, such as behind a firewall that dropped its state,
 * looks like a slow one. Statements that take milliseconds reveal the difference: if one gets no response in time,
 * all connections that are idle or have been busy for as long are replaced.
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
      if (client instanceof AbortableClient) client.heldSince = performance.now();
    });
    this.pool.on('release', (_, client) => {
      if (client instanceof AbortableClient) client.heldSince = undefined;
    });
    this.pool.on('remove', (client) => {
      if (client instanceof AbortableClient) this.#open.delete(client);
    });
  }

  /** Runs work that must complete within PROMPT_TIMEOUT_MS. */
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

  #closeSilent(): void {
    const now = performance.now();
    for (const { socket, heldSince } of this.#open) {
      if (heldSince === undefined || now - heldSince >= PROMPT_TIMEOUT_MS) socket.destroy();
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
