import type { Consent, ConsentDetail, ConsentImport, NewConsent } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Consents: whether an address accepts messages, with the proof. Needs an application token. */
export class Consents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first; with `address`, those of one address, in one `family` or in all. */
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

  /**
   * Imports up to 50,000 consents: a CSV file with a header (`family,address,scope,state,evidence`), or one JSON object
   * per line. Lines with errors are skipped and reported; the others are stored.
   */
  importFile(
    text: string,
    format: 'csv' | 'ndjson' = 'csv',
    options?: CallOptions,
  ): Promise<ConsentImport> {
    return this.#transport.post('POST /1/consents/import', text, options, TYPES[format]);
  }

  /** All consents, as a file to read from the response. */
  exportFile(format: 'csv' | 'ndjson' = 'csv', options?: CallOptions): Promise<Response> {
    return this.#transport.file('GET /1/consents/export', { query: { format } }, options);
  }
}

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
