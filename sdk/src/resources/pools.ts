import type { NewPool, Pool } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Pools of integrations that stand in for one another. Needs an application token. */
export class Pools {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<Pool> {
    return listOf(this.#transport, 'GET /1/pools', { query }, options);
  }

  /** Messages name it as `pool:NAME`. */
  create(pool: NewPool, options?: CallOptions): Promise<Pool> {
    return this.#transport.call('POST /1/pools', { body: pool }, options);
  }

  get(id: number, options?: CallOptions): Promise<Pool> {
    return this.#transport.call('GET /1/pools/{id}', { path: { id } }, options);
  }

  /** Replaces the pool. Accepted messages keep its members. */
  update(id: number, pool: NewPool, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/pools/{id}', { path: { id }, body: pool }, options);
  }

  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/pools/{id}', { path: { id } }, options);
  }
}
