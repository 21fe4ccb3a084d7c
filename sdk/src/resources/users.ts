import type { NewUser, User, UserChange } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Users of the team. Needs a user token. */
export class Users {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The user of the token. */
  me(options?: CallOptions): Promise<User> {
    return this.#transport.call('GET /1/users/me', {}, options);
  }

  /** The users of the team, newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<User> {
    return listOf(this.#transport, 'GET /1/users', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<User> {
    return this.#transport.call('GET /1/users/{id}', { path: { id } }, options);
  }

  /** Adds a user to the team. Owner only. */
  create(fields: NewUser, options?: CallOptions): Promise<User> {
    return this.#transport.call('POST /1/users', { body: fields }, options);
  }

  /** Changes yourself; the owner of the team may change any of its users. */
  update(id: number, fields: UserChange, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/users/{id}', { path: { id }, body: fields }, options);
  }

  /**
   * Removes a user from the team permanently. Owner only. With `revokeKeys`, also revokes the keys and tokens that the
   * user created.
   */
  delete(
    id: number,
    { revokeKeys = false, ...options }: CallOptions & { revokeKeys?: boolean } = {},
  ): Promise<void> {
    const query = revokeKeys ? ({ revoke_keys: 'true' } as const) : {};
    return this.#transport.act('DELETE /1/users/{id}', { path: { id }, query }, options);
  }
}
