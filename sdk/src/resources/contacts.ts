import type {
  Address,
  AddressUpdate,
  Contact,
  ContactUpdate,
  NewAddress,
  NewContact,
} from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** People, with their addresses on all channels. Needs an application token. */
export class Contacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first; with `search`, those whose name, address or external id begins with the text. */
  list(
    query: PageOptions & { search?: string; external_id?: string } = {},
    options?: CallOptions,
  ): List<Contact> {
    return listOf(this.#transport, 'GET /1/contacts', { query }, options);
  }

  create(contact: NewContact, options?: CallOptions): Promise<Contact> {
    return this.#transport.call('POST /1/contacts', { body: contact }, options);
  }

  get(id: number, options?: CallOptions): Promise<Contact> {
    return this.#transport.call('GET /1/contacts/{id}', { path: { id } }, options);
  }

  /** Changes the given fields; null clears one. */
  update(id: number, change: ContactUpdate, options?: CallOptions): Promise<void> {
    return this.#transport.act('PUT /1/contacts/{id}', { path: { id }, body: change }, options);
  }

  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/contacts/{id}', { path: { id } }, options);
  }

  addAddress(id: number, address: NewAddress, options?: CallOptions): Promise<Address> {
    const given = { path: { id }, body: address };
    return this.#transport.call('POST /1/contacts/{id}/addresses', given, options);
  }

  updateAddress(
    id: number,
    addressId: number,
    change: AddressUpdate,
    options?: CallOptions,
  ): Promise<void> {
    const given = { path: { id, address_id: addressId }, body: change };
    return this.#transport.act('PUT /1/contacts/{id}/addresses/{address_id}', given, options);
  }

  removeAddress(id: number, addressId: number, options?: CallOptions): Promise<void> {
    const given = { path: { id, address_id: addressId } };
    return this.#transport.act('DELETE /1/contacts/{id}/addresses/{address_id}', given, options);
  }
}
