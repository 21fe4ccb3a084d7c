import { Socket } from 'node:net';

import pg from 'pg';

/** How long a statement that must be answered promptly may take, a free connection and a new one as well. */
export const PROMPT_MS = 4_000;
const SILENT = 'Query read timeout';
const NONE_FREE = 'timeout exceeded when trying to connect';

/** A connection that can be cut without asking the other end. */
class CuttableClient extends pg.Client {
  readonly socket: Socket;
  /** Since when somebody uses it; undefined while nobody does. */
  heldSince: number | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.socket = socket;
  }
}

/**
 * The pool of connections. One whose other end has gone without a word, as behind a firewall that forgets it, looks like a
 * slow one. Statements that take milliseconds tell them apart: when such a one gets no answer, all connections are replaced
 * that are at rest or have been in use for as long.
 */
export class Connections {
  readonly pool: pg.Pool;
  readonly #open = new Set<CuttableClient>();

  constructor(config: pg.PoolConfig, onIdleError: (error: Error) => void) {
    this.pool = new pg.Pool({ ...config, Client: CuttableClient });
    this.pool.on('error', onIdleError);
    this.pool.on('connect', (client) => {
      // While a connection is in use its query is told that it broke; the event itself must not end the process.
      client.on('error', () => {});
      if (client instanceof CuttableClient) this.#open.add(client);
    });
    this.pool.on('acquire', (client) => {
      if (client instanceof CuttableClient) client.heldSince = performance.now();
    });
    this.pool.on('release', (_, client) => {
      if (client instanceof CuttableClient) client.heldSince = undefined;
    });
    this.pool.on('remove', (client) => {
      if (client instanceof CuttableClient) this.#open.delete(client);
    });
  }

  /** Does something with a connection that must be answered within PROMPT_MS. */
  async prompt<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.#connect();
    let isSilent = false;
    try {
      return await work(client);
    } catch (error) {
      isSilent = saysThat(error, SILENT);
      throw error;
    } finally {
      client.release(isSilent);
      if (isSilent) this.#cutSilent();
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const before = this.pool.idleCount === 0 ? this.#bytesRead() : undefined;
    try {
      return await this.pool.connect();
    } catch (error) {
      // All are in use: they may be busy, unless none of them has heard anything meanwhile.
      if (saysThat(error, NONE_FREE) && this.#bytesRead() === before) this.#cutSilent();
      throw error;
    }
  }

  #bytesRead(): number {
    return this.#open.values().reduce((sum, { socket }) => sum + socket.bytesRead, 0);
  }

  #cutSilent(): void {
    const now = performance.now();
    for (const { socket, heldSince } of this.#open) {
      if (heldSince === undefined || now - heldSince >= PROMPT_MS) socket.destroy();
    }
  }
}

/** A statement that is given up when there is no answer in time; its connection is then cut. */
export function promptly(query: pg.QueryConfig): pg.QueryConfig & { query_timeout: number } {
  return { ...query, query_timeout: PROMPT_MS };
}

function saysThat(error: unknown, message: string): boolean {
  return error instanceof Error && error.message === message;
}
