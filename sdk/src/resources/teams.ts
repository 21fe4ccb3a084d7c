import type { Team, TeamChange } from '../api.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The own team. Takes a token of a user. */
export class Teams {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: number, options?: CallOptions): Promise<Team> {
    return this.#transport.call('GET /1/teams/{id}', { path: { id } }, options);
  }

  /** Renames it. Only its owner may. */
  update(id: number, fields: TeamChange, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/teams/{id}', { path: { id }, body: fields }, options);
  }
}
