import type {
  Address,
  AddressUpdate,
  Contact,
  ContactImport,
  ContactImportError,
  ContactMerge,
  ContactUpdate,
  Erasure,
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

  /**
   * All data of a contact, as a file to read from the response: one JSON object per line, with `kind` and `data`. The
   * last line has the kind `end`; without it, the file is incomplete.
   */
  exportFile(id: number, options?: CallOptions): Promise<Response> {
    return this.#transport.file('GET /1/contacts/{id}/export', { path: { id } }, options);
  }

  /** Erases all data of a contact, in the background. Revoked consents stay in force. */
  erase(id: number, options?: CallOptions): Promise<Erasure> {
    return this.#transport.call('POST /1/contacts/{id}/erase', { path: { id } }, options);
  }

  /** The progress of an erasure. */
  erasure(id: number, options?: CallOptions): Promise<Erasure> {
    return this.#transport.call('GET /1/contacts/{id}/erasure', { path: { id } }, options);
  }

  addAddress(id: number, address: NewAddress, options?: CallOptions): Promise<Address> {
    const input = { path: { id }, body: address };
    return this.#transport.call('POST /1/contacts/{id}/addresses', input, options);
  }

  updateAddress(
    id: number,
    addressId: number,
    change: AddressUpdate,
    options?: CallOptions,
  ): Promise<void> {
    const input = { path: { id, address_id: addressId }, body: change };
    return this.#transport.act('PUT /1/contacts/{id}/addresses/{address_id}', input, options);
  }

  removeAddress(id: number, addressId: number, options?: CallOptions): Promise<void> {
    const input = { path: { id, address_id: addressId } };
    return this.#transport.act('DELETE /1/contacts/{id}/addresses/{address_id}', input, options);
  }

  /** Makes another contact part of this one, with its addresses. */
  merge(id: number, otherId: number, options?: CallOptions): Promise<Contact> {
    const input = { path: { id }, body: { contact_id: otherId } };
    return this.#transport.call('POST /1/contacts/{id}/merge', input, options);
  }

  /** Takes a merged contact out again; returns it. */
  unmerge(id: number, otherId: number, options?: CallOptions): Promise<Contact> {
    const input = { path: { id }, body: { contact_id: otherId } };
    return this.#transport.call('POST /1/contacts/{id}/unmerge', input, options);
  }

  /** The contacts that are part of this one, the newest merge first. */
  async merges(id: number, options?: CallOptions): Promise<readonly ContactMerge[]> {
    const input = { path: { id } };
    return (await this.#transport.call('GET /1/contacts/{id}/merges', input, options)).data;
  }

  /**
   * Imports up to 100,000 contacts in the background: a CSV file with a header (`external_id,name,sms,email,fields.plan`),
   * or one JSON object per line.
   */
  importFile(
    text: string,
    format: 'csv' | 'ndjson' = 'csv',
    options?: CallOptions,
  ): Promise<ContactImport> {
    return this.#transport.post('POST /1/contact-imports', text, options, TYPES[format]);
  }

  /** Newest first. */
  imports(query: PageOptions = {}, options?: CallOptions): List<ContactImport> {
    return listOf(this.#transport, 'GET /1/contact-imports', { query }, options);
  }

  /** With its progress. */
  getImport(id: number, options?: CallOptions): Promise<ContactImport> {
    return this.#transport.call('GET /1/contact-imports/{id}', { path: { id } }, options);
  }

  /** The skipped rows, in the order of the file. */
  importErrors(
    id: number,
    query: PageOptions = {},
    options?: CallOptions,
  ): List<ContactImportError> {
    const input = { path: { id }, query };
    return listOf(this.#transport, 'GET /1/contact-imports/{id}/errors', input, options);
  }

  /** Imported contacts stay. */
  cancelImport(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/contact-imports/{id}', { path: { id } }, options);
  }
}

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
