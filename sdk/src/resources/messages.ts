import type {
  AcceptedMessage,
  Attempt,
  Job,
  Message,
  MessageDetail,
  Preview,
  ResendPreview,
} from '../api.ts';
import { batchesOf } from '../batch.ts';
import { type Sendable, activityOf } from '../compose.ts';
import { SwitchboardError } from '../errors.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import { pause } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The states that a message can be in. */
export type MessageState = Message['state'];

/** Which messages are wanted. */
export interface MessageFilter {
  /** Only those in this state, or in one of these. */
  state?: MessageState | readonly MessageState[];
  /** Only those through integrations of this channel. */
  channel?: string;
  /** Only those through this integration. */
  integration_id?: number;
  /** Only those to this recipient, as the channel writes it. */
  to?: string;
  /** Only the one of this id, and those whose id begins with it. */
  id?: number | string;
  /** Only those accepted later than this: a date, or UTC as `2026-11-15T09:30:00`. */
  created_after?: Date | string;
  /** Only those accepted earlier than this. */
  created_before?: Date | string;
}

/** How often it is looked what became of a message, in milliseconds: first soon, then less often. */
const LOOKS = [50, 100, 200, 400, 800, 1_000];

/** Messages. Takes a token of an application. */
export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a message. It answers once the message is on disk: it is not lost any more. What becomes of it is
   * told by events, by `get`, or by `settled`.
   *
   * ```ts
   * await client.messages.send({ to: '123456789', via: 'telegram', text: 'Hello' });
   * ```
   */
  send(message: Sendable, options?: CallOptions): Promise<AcceptedMessage> {
    const body = { message: activityOf(message) };
    return this.#transport.call('POST /1/message', { body }, options);
  }

  /**
   * Sends any number of messages, in their order, in as few calls as can carry them: 1,000 or 8 MiB each. Of one
   * call, all are accepted or none. When a later call fails, the error says what had been `accepted`.
   */
  async sendAll(
    messages: Iterable<Sendable> | AsyncIterable<Sendable>,
    options: CallOptions = {},
  ): Promise<AcceptedMessage[]> {
    const { idempotencyKey: key, ...rest } = options;
    const accepted: AcceptedMessage[] = [];
    for await (const body of batchesOf(activitiesOf(messages))) {
      // The same keys for the same messages, when all of it is done again.
      const own = key === undefined ? {} : { idempotencyKey: `${key}-${accepted.length}` };
      try {
        const { data } = await this.#transport.post('POST /1/messages', body, { ...rest, ...own });
        accepted.push(...data);
      } catch (error) {
        if (error instanceof SwitchboardError) error.accepted = accepted;
        throw error;
      }
    }
    return accepted;
  }

  /** Shows what exactly would go out, what would be lost, and what is missing. Nothing is sent. */
  dryRun(message: Sendable, options?: CallOptions): Promise<Preview> {
    const body = { message: activityOf(message) };
    return this.#transport.call('POST /1/message?dry_run=true', { body }, options);
  }

  /** A message and what became of it: its `state`, why it waits (`waiting`), what went wrong (`error`). */
  get(id: number, options?: CallOptions): Promise<MessageDetail> {
    return this.#transport.call('GET /1/messages/{id}', { path: { id } }, options);
  }

  /** The messages of the application, the newest first. */
  list(filter: MessageFilter & PageOptions = {}, options?: CallOptions): List<Message> {
    const { limit, ...wanted } = filter;
    const query = { ...(limit !== undefined && { limit }), ...filterOf(wanted) };
    return listOf(this.#transport, 'GET /1/messages', { query }, options);
  }

  /** The tries to send a message, in their order: when, and what the channel answered. */
  async attempts(id: number, options?: CallOptions): Promise<Attempt[]> {
    const path = { id };
    return (await this.#transport.call('GET /1/messages/{id}/attempts', { path }, options)).data;
  }

  /** Sends one again that is failed, canceled, expired or uncertain. */
  resend(id: number, options?: CallOptions): Promise<AcceptedMessage> {
    return this.#transport.call('POST /1/messages/{id}/resend', { path: { id } }, options);
  }

  /** Tries a message now that waits for its next attempt; rejects with `message_not_waiting` when it does not. */
  retry(id: number, options?: CallOptions): Promise<MessageDetail> {
    return this.#transport.call('POST /1/messages/{id}/retry', { path: { id } }, options);
  }

  /**
   * Sends all again that the filter means and that are failed, canceled, expired or uncertain, in the background.
   * `jobs.get` says how far that has come, `jobs.finished` waits for its end.
   */
  resendAll(filter: MessageFilter, options?: CallOptions): Promise<Job> {
    const body = { filter: filterOf(filter) };
    return this.#transport.call('POST /1/messages/resend', { body }, options);
  }

  /** How many messages `resendAll` would send again. Nothing is sent. */
  countResend(filter: MessageFilter, options?: CallOptions): Promise<ResendPreview> {
    const body = { filter: filterOf(filter) };
    return this.#transport.call('POST /1/messages/resend?dry_run=true', { body }, options);
  }

  /** Cancels a message that is not sent yet; rejects with `message_settled` when it is too late. */
  cancel(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/messages/{id}', { path: { id } }, options);
  }

  /**
   * Waits until nothing more will be done about a message: it is sent, or came to nothing. A rate limit or an
   * outage can make that hours: give a `signal`, such as `AbortSignal.timeout(60_000)`. `onWait` is shown the message at
   * each look until then; its `waiting` says what for.
   */
  async settled(
    id: number,
    { onWait, ...options }: CallOptions & { onWait?: (message: MessageDetail) => void } = {},
  ): Promise<MessageDetail> {
    for (let looks = 0; ; looks++) {
      const message = await this.get(id, options);
      if (message.state !== 'queued' && message.state !== 'sending') return message;
      onWait?.(message);
      await pause(LOOKS[looks] ?? 1_000, options.signal);
    }
  }
}

async function* activitiesOf(messages: Iterable<Sendable> | AsyncIterable<Sendable>) {
  for await (const message of messages) yield activityOf(message);
}

/** A filter as the service writes it. */
function filterOf({
  state,
  id,
  created_after: after,
  created_before: before,
  ...rest
}: MessageFilter) {
  return {
    ...rest,
    ...(state !== undefined && { state: [state].flat().join(',') }),
    ...(id !== undefined && { id: String(id) }),
    ...(after !== undefined && { created_after: momentOf(after) }),
    ...(before !== undefined && { created_before: momentOf(before) }),
  };
}

/** As the service writes moments. */
function momentOf(moment: Date | string): string {
  return moment instanceof Date ? moment.toISOString().slice(0, 19) : moment;
}
