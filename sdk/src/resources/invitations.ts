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

  /** Creates a link for one person. Its `url` is returned only once. Owner of the team only. */
  create(fields: InvitationFields = {}, options?: CallOptions): Promise<NewInvitation> {
    return this.#transport.call('POST /1/invitations', { body: fields }, options);
  }

  /** The open invitations, newest first. Needs a user token. */
  list(query: PageOptions = {}, options?: CallOptions): List<Invitation> {
    return listOf(this.#transport, 'GET /1/invitations', { query }, options);
  }

  /** Revokes an invitation: its link stops working. Owner of the team only. */
  revoke(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/invitations/{id}', { path: { id } }, options);
  }

  /** Shows the team that a link invites to. Needs no token. */
  preview(code: string, options?: CallOptions): Promise<InvitationOffer> {
    return this.#transport.call('POST /1/invitations/preview', { body: { code } }, options);
  }

  /** Joins the team as a new user. Needs no token. */
  accept(fields: InvitationAcceptance, options?: CallOptions): Promise<User> {
    return this.#transport.call('POST /1/invitations/accept', { body: fields }, options);
  }
}
