import type { Member, Team, TeamChange } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Your own team. Needs a user token. */
export class Teams {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: number, options?: CallOptions): Promise<Team> {
    return this.#transport.call('GET /1/teams/{id}', { path: { id } }, options);
  }

  /** The users of the team with their email addresses and roles, newest first. */
  members(id: number, query: PageOptions = {}, options?: CallOptions): List<Member> {
    return listOf(this.#transport, 'GET /1/teams/{id}/members', { path: { id }, query }, options);
  }

  /** Renames the team, or transfers it with `owner_id`. Owner only. */
  update(id: number, fields: TeamChange, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/teams/{id}', { path: { id }, body: fields }, options);
  }
}
