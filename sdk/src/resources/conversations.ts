import type { Conversation, ConversationEntry, UploadedFile } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Messages between integrations and people, in both directions. Needs an application token. */
export class Conversations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * One conversation per integration and recipient, most recent message first. `search` finds at most 100, by the
   * beginning of an address, a name or an external id.
   */
  list(
    query: PageOptions & { contact_id?: number; search?: string } = {},
    options?: CallOptions,
  ): List<Conversation> {
    return listOf(this.#transport, 'GET /1/conversations', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<Conversation> {
    return this.#transport.call('GET /1/conversations/{id}', { path: { id } }, options);
  }

  /** Sent messages with their states, and the events of received ones, newest first. */
  messages(id: number, query: PageOptions = {}, options?: CallOptions): List<ConversationEntry> {
    const input = { path: { id }, query };
    return listOf(this.#transport, 'GET /1/conversations/{id}/messages', input, options);
  }

  /** Marks the conversation as read. */
  read(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('POST /1/conversations/{id}/read', { path: { id } }, options);
  }

  /** Uploads a file of at most 10 MiB. Nothing is sent yet: send a message with its `url`. */
  upload(id: number, file: Blob, name: string, options?: CallOptions): Promise<UploadedFile> {
    const input = { path: { id }, query: { name } };
    return this.#transport.upload('POST /1/conversations/{id}/files', input, file, options);
  }

  /** Downloads an uploaded file. */
  file(id: number, file: string, options?: CallOptions): Promise<Response> {
    const input = { path: { id, file } };
    return this.#transport.file('GET /1/conversations/{id}/files/{file}', input, options);
  }
}
