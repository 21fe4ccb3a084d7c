import type { Consent, ConsentDetail, NewConsent } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What people allow for an address, and the proof. Needs an application token. */
export class Consents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first; with `family` and `address`, those of one address. */
  list(
    query: PageOptions & { family?: string; address?: string } = {},
    options?: CallOptions,
  ): List<Consent> {
    return listOf(this.#transport, 'GET /1/consents', { query }, options);
  }

  /** Records what a person allows. A stop takes effect for queued messages too. */
  set(consent: NewConsent, options?: CallOptions): Promise<Consent> {
    return this.#transport.call('POST /1/consents', { body: consent }, options);
  }

  /** With its history. */
  get(id: number, options?: CallOptions): Promise<ConsentDetail> {
    return this.#transport.call('GET /1/consents/{id}', { path: { id } }, options);
  }

  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/consents/{id}', { path: { id } }, options);
  }
}
