import type { NewUser, User, UserChange } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Users of the team. Takes a token of a user. */
export class Users {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The user that the client speaks for. */
  me(options?: CallOptions): Promise<User> {
    return this.#transport.call('GET /1/users/me', {}, options);
  }

  /** The users of the team, the newest first. */
  list(query: PageOptions = {}, options?: CallOptions): List<User> {
    return listOf(this.#transport, 'GET /1/users', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<User> {
    return this.#transport.call('GET /1/users/{id}', { path: { id } }, options);
  }

  /** Adds a user to the team. Only its owner may. */
  create(fields: NewUser, options?: CallOptions): Promise<User> {
    return this.#transport.call('POST /1/users', { body: fields }, options);
  }

  /** Changes a user: oneself, or, for the owner of the team, any of its users. */
  update(id: number, fields: UserChange, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/users/{id}', { path: { id }, body: fields }, options);
  }

  /**
   * Removes a user from the team, for good. Only its owner may. With `revokeKeys`, the keys and tokens that they made
   * are revoked as well.
   */
  delete(
    id: number,
    { revokeKeys = false, ...options }: CallOptions & { revokeKeys?: boolean } = {},
  ): Promise<void> {
    const query = revokeKeys ? ({ revoke_keys: 'true' } as const) : {};
    return this.#transport.act('DELETE /1/users/{id}', { path: { id }, query }, options);
  }
}
