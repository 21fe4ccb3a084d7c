import type { Conversation, ConversationEntry } from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What was said between integrations and people, in both directions. Needs an application token. */
export class Conversations {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** One per integration and recipient, those with the newest message first. */
  list(
    query: PageOptions & { contact_id?: number } = {},
    options?: CallOptions,
  ): List<Conversation> {
    return listOf(this.#transport, 'GET /1/conversations', { query }, options);
  }

  get(id: number, options?: CallOptions): Promise<Conversation> {
    return this.#transport.call('GET /1/conversations/{id}', { path: { id } }, options);
  }

  /** Sent messages with their states, and the events of received ones, newest first. */
  messages(id: number, query: PageOptions = {}, options?: CallOptions): List<ConversationEntry> {
    const given = { path: { id }, query };
    return listOf(this.#transport, 'GET /1/conversations/{id}/messages', given, options);
  }

  /** Marks it as read. */
  read(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('POST /1/conversations/{id}/read', { path: { id } }, options);
  }
}
