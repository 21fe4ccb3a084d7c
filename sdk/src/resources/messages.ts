import type {
  AcceptedMessage,
  Activity,
  Attempt,
  Job,
  Message,
  MessageDetail,
  MessageOptions,
  Preview,
  ResendPreview,
  SendAt,
} from '../api.ts';
import { batchesOf } from '../batch.ts';
import { type Composable, type Sendable, activityOf, sendAtOf, submissionOf } from '../compose.ts';
import { SwitchboardError } from '../errors.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import { pause } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';

export type MessageState = Message['state'];

export interface MessageFilter {
  /** Only messages in this state, or in one of these. */
  state?: MessageState | readonly MessageState[];
  /** Only messages on this channel. */
  channel?: string;
  /** Only messages through this integration. */
  integration_id?: number;
  /** Only messages to this recipient, by the channel's id. */
  to?: string;
  /** Only messages whose id is this or starts with it. */
  id?: number | string;
  /** Only messages accepted after this: a date, or UTC such as `2026-11-15T09:30:00`. */
  created_after?: Date | string;
  /** Only messages accepted before this. */
  created_before?: Date | string;
}

/** The waits between two requests for the state of a message; the last one repeats. */
const POLL_DELAYS_MS = [50, 100, 200, 400, 800, 1_000];

const UNSETTLED: ReadonlySet<MessageState> = new Set(['scheduled', 'queued', 'sending']);

/** A change of a scheduled message; omitted fields keep their values. */
export interface MessageChange {
  sendAt?: Date | SendAt;
  message?: Activity | Composable;
  /** Only together with `message`. */
  options?: MessageOptions;
}

/** Messages. Needs an application token. */
export class Messages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a message. Resolves once the service has stored it durably. To learn its outcome, use events, `get` or
   * `settled`.
   *
   * ```ts
   * await client.messages.send({ to: '123456789', via: 'telegram', text: 'Hello' });
   * await client.messages.send({ message: reply(event, 'Hello'), options: { silent: true } });
   * ```
   */
  send(message: Sendable, options?: CallOptions): Promise<AcceptedMessage> {
    const body = submissionOf(message);
    return this.#transport.call('POST /1/message', { body }, options);
  }

  /**
   * Sends any number of messages in order, in calls of up to 1,000 messages or 8 MiB. Each call accepts all of its
   * messages or none. If a later call fails, the error lists the messages already `accepted`.
   */
  async sendAll(
    messages: Iterable<Sendable> | AsyncIterable<Sendable>,
    options: CallOptions = {},
  ): Promise<AcceptedMessage[]> {
    const { idempotencyKey: key, ...rest } = options;
    const accepted: AcceptedMessage[] = [];
    for await (const body of batchesOf(itemsOf(messages))) {
      // A repeated `sendAll` uses the same key for the same batch.
      const batchKey = key === undefined ? {} : { idempotencyKey: `${key}-${accepted.length}` };
      try {
        const { data } = await this.#transport.post('POST /1/messages', body, {
          ...rest,
          ...batchKey,
        });
        accepted.push(...data);
      } catch (error) {
        if (error instanceof SwitchboardError) error.accepted = accepted;
        throw error;
      }
    }
    return accepted;
  }

  /**
   * Shows the exact requests that would be sent, the content that would be lost, and what is missing. Sends nothing.
   */
  dryRun(message: Sendable, options?: CallOptions): Promise<Preview> {
    const body = submissionOf(message);
    return this.#transport.call('POST /1/message?dry_run=true', { body }, options);
  }

  /** A message with its `state`, the reason it waits (`waiting`) and its `error`. */
  get(id: number, options?: CallOptions): Promise<MessageDetail> {
    return this.#transport.call('GET /1/messages/{id}', { path: { id } }, options);
  }

  /** The messages of the application, newest first. */
  list(filter: MessageFilter & PageOptions = {}, options?: CallOptions): List<Message> {
    const { limit, ...conditions } = filter;
    const query = { ...(limit !== undefined && { limit }), ...filterOf(conditions) };
    return listOf(this.#transport, 'GET /1/messages', { query }, options);
  }

  /** The attempts to send a message, in order, with the channel's responses. */
  async attempts(id: number, options?: CallOptions): Promise<Attempt[]> {
    const path = { id };
    return (await this.#transport.call('GET /1/messages/{id}/attempts', { path }, options)).data;
  }

  /** An image of a message, by its `url` there; status 204 if it cannot be loaded. */
  image(id: number, url: string, options?: CallOptions): Promise<Response> {
    const input = { path: { id }, query: { url } };
    return this.#transport.file('GET /1/messages/{id}/image', input, options);
  }

  /**
   * Resends a message that is failed, uncertain, canceled, expired or suppressed. It starts with the route `route`; by
   * default, with the current one.
   */
  resend(
    id: number,
    { route, ...options }: CallOptions & { route?: number } = {},
  ): Promise<AcceptedMessage> {
    const input = { path: { id }, ...(route !== undefined && { body: { route } }) };
    return this.#transport.call('POST /1/messages/{id}/resend', input, options);
  }

  /** Retries a waiting message now; rejects with `message_not_waiting` if it is not waiting for its next attempt. */
  retry(id: number, options?: CallOptions): Promise<MessageDetail> {
    return this.#transport.call('POST /1/messages/{id}/retry', { path: { id } }, options);
  }

  /**
   * Resends, in the background, all messages that match the filter and are failed, uncertain, canceled, expired or
   * suppressed. `jobs.get` returns the progress, `jobs.finished` waits for the end.
   */
  resendAll(filter: MessageFilter, options?: CallOptions): Promise<Job> {
    const body = { filter: filterOf(filter) };
    return this.#transport.call('POST /1/messages/resend', { body }, options);
  }

  /** The number of messages that `resendAll` would resend. Sends nothing. */
  countResend(filter: MessageFilter, options?: CallOptions): Promise<ResendPreview> {
    const body = { filter: filterOf(filter) };
    return this.#transport.call('POST /1/messages/resend?dry_run=true', { body }, options);
  }

  /**
   * Changes a scheduled message: its time (`sendAt`), its content, or both; rejects with `message_not_scheduled` if it
   * has left the schedule.
   */
  change(
    id: number,
    { message, sendAt, ...rest }: MessageChange,
    options?: CallOptions,
  ): Promise<void> {
    const body = {
      ...rest,
      ...(message && { message: activityOf(message) }),
      ...(sendAt !== undefined && { send_at: sendAtOf(sendAt) }),
    };
    return this.#transport.act('PUT /1/messages/{id}', { path: { id }, body }, options);
  }

  /** Cancels a message that is scheduled, queued or uncertain; rejects with `message_settled` if it is too late. */
  cancel(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/messages/{id}', { path: { id } }, options);
  }

  /**
   * Waits until a message is settled: sent, failed, uncertain, canceled, expired or suppressed. Rate limits and outages
   * can delay that for hours, so pass a `signal` such as `AbortSignal.timeout(60_000)`. Until then, `onWait` is called
   * with the message after each request; its `waiting` has the reason.
   */
  async settled(
    id: number,
    { onWait, ...options }: CallOptions & { onWait?: (message: MessageDetail) => void } = {},
  ): Promise<MessageDetail> {
    for (let requests = 0; ; requests++) {
      const message = await this.get(id, options);
      if (!UNSETTLED.has(message.state)) return message;
      onWait?.(message);
      await pause(POLL_DELAYS_MS[requests] ?? 1_000, options.signal);
    }
  }
}

/** Messages without options travel as bare activities. */
async function* itemsOf(messages: Iterable<Sendable> | AsyncIterable<Sendable>) {
  for await (const each of messages) {
    const submission = submissionOf(each);
    yield Object.keys(submission).length === 1 ? submission.message : submission;
  }
}

/** The filter as the API takes it. */
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

/** A time as the API takes it. */
function momentOf(moment: Date | string): string {
  return moment instanceof Date ? moment.toISOString().slice(0, 19) : moment;
}
