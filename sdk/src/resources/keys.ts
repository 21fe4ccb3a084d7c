import type { Key, KeyFields, NewKey } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

export interface KeyFilter extends PageOptions {
  /** Only the keys of this user or application. */
  resource_id?: number;
  /** Only the keys that this user created. */
  created_by?: number;
}

/** Keys that sign tokens, of users or of applications. Needs a user token. */
export class Keys {
  readonly #transport: Transport;
  readonly #kind: 'users' | 'applications';

  constructor(transport: Transport, kind: 'users' | 'applications') {
    this.#transport = transport;
    this.#kind = kind;
  }

  /** Creates a key for the user or application. Its `secret` is returned only once. */
  create(
    resourceId: number,
    fields: Partial<Omit<KeyFields, 'resource_id'>> = {},
    options?: CallOptions,
  ): Promise<NewKey> {
    const body: KeyFields = { state: 'enable', ...fields, resource_id: resourceId };
    return this.#transport.call(`POST /1/keys/${this.#kind}`, { body }, options);
  }

  /** The keys that you may see, newest first, without their secrets. */
  list(query: KeyFilter = {}, options?: CallOptions): List<Key> {
    return listOf(this.#transport, `GET /1/keys/${this.#kind}`, { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<Key> {
    return this.#transport.call(`GET /1/keys/${this.#kind}/{id}`, { path: { id } }, options);
  }

  /** Revokes a key: every token it signed stops working within a second. */
  revoke(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act(`DELETE /1/keys/${this.#kind}/{id}`, { path: { id } }, options);
  }
}
