import type {
  Invitation,
  InvitationAcceptance,
  InvitationFields,
  InvitationOffer,
  NewInvitation,
  User,
} from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Links that let people join the team. */
export class Invitations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Makes a link for one person. Its `url` is shown this once. Only the owner of the team may. */
  create(fields: InvitationFields = {}, options?: CallOptions): Promise<NewInvitation> {
    return this.#transport.call('POST /1/invitations', { body: fields }, options);
  }

  /** Those that can still be accepted, the newest first. Takes a token of a user. */
  list(query: PageOptions = {}, options?: CallOptions): List<Invitation> {
    return listOf(this.#transport, 'GET /1/invitations', { query }, options);
  }

  /** Ends one: its link stops working. Only the owner of the team may. */
  revoke(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/invitations/{id}', { path: { id } }, options);
  }

  /** What a link is to. Takes no token. */
  preview(code: string, options?: CallOptions): Promise<InvitationOffer> {
    return this.#transport.call('POST /1/invitations/preview', { body: { code } }, options);
  }

  /** Joins the team, as a new user. Takes no token. */
  accept(fields: InvitationAcceptance, options?: CallOptions): Promise<User> {
    return this.#transport.call('POST /1/invitations/accept', { body: fields }, options);
  }
}
