import type {
  Sandbox as SandboxState,
  SandboxBehaviours,
  SandboxBlock,
  SandboxMessage,
  SandboxMove,
  SandboxPress,
  SandboxReaction,
  SandboxReceipt,
  SandboxReply,
} from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import { pause } from '../retry.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What a message on a phone must contain, or a function that recognizes it. */
export type MessageMatch = string | RegExp | ((message: SandboxMessage) => boolean);

/** The waits between two polls of the phone; the last one repeats. */
const POLL_DELAYS_MS = [20, 50, 100, 200];
/** The number of recent messages that `shown` searches. */
const MAX_SEARCHED = 100;

/**
 * Simulated vendors of integrations with the mode `sandbox`: what people received, what they answer, and faults on
 * demand. Needs an application token.
 */
export class Sandboxes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The simulated people, what they can do, and the addresses that trigger faults. */
  get(integration: number, options?: CallOptions): Promise<SandboxState> {
    return this.#transport.call('GET /1/sandbox/{id}', { path: { id: integration } }, options);
  }

  /** What the phones show, newest first; `with` is the address of a person or room. */
  messages(
    integration: number,
    query: PageOptions & { with?: string } = {},
    options?: CallOptions,
  ): List<SandboxMessage> {
    const input = { path: { id: integration }, query };
    return listOf(this.#transport, 'GET /1/sandbox/{id}/messages', input, options);
  }

  /**
   * Waits until a phone shows a message of the application that contains a text, matches a pattern, or for which the
   * function returns true; returns the newest one. With `after`, only messages after that one count. Pass a `signal`
   * such as `AbortSignal.timeout(10_000)`.
   *
   * ```ts
   * const question = await client.sandbox.shown(id, 'Are you at home?');
   * await client.sandbox.press(id, { message: question.id, button: 'Yes' });
   * ```
   */
  async shown(
    integration: number,
    wanted: MessageMatch,
    { after = 0, ...options }: CallOptions & { after?: number } = {},
  ): Promise<SandboxMessage> {
    const isWanted = recognizerOf(wanted);
    for (let polls = 0; ; polls++) {
      const recent = await this.messages(integration, { limit: MAX_SEARCHED }, options).first(
        MAX_SEARCHED,
      );
      const found = recent.find(
        (message) =>
          message.id > after &&
          message.author === 'application' &&
          !message.deleted &&
          isWanted(message),
      );
      if (found) return found;
      await pause(POLL_DELAYS_MS[polls] ?? 200, options.signal);
    }
  }

  /** Downloads a file that the phone shows: `media[0].file` of a message. */
  file(integration: number, file: string, options?: CallOptions): Promise<Response> {
    const input = { path: { id: integration, file } };
    return this.#transport.file('GET /1/sandbox/{id}/files/{file}', input, options);
  }

  /** Answers as a person: with a text, a file or a place. */
  reply(integration: number, reply: SandboxReply, options?: CallOptions): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: reply };
    return this.#transport.call('POST /1/sandbox/{id}/reply', input, options);
  }

  /** Presses a button, by its label, its value or its position from 1. */
  press(integration: number, press: SandboxPress, options?: CallOptions): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: press };
    return this.#transport.call('POST /1/sandbox/{id}/press', input, options);
  }

  react(
    integration: number,
    reaction: SandboxReaction,
    options?: CallOptions,
  ): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: reaction };
    return this.#transport.call('POST /1/sandbox/{id}/react', input, options);
  }

  join(integration: number, who: SandboxMove = {}, options?: CallOptions): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: who };
    return this.#transport.call('POST /1/sandbox/{id}/join', input, options);
  }

  leave(
    integration: number,
    who: SandboxMove = {},
    options?: CallOptions,
  ): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: who };
    return this.#transport.call('POST /1/sandbox/{id}/leave', input, options);
  }

  /** Blocks the sender as a person; `blocked: false` ends the block. */
  block(
    integration: number,
    who: SandboxBlock = {},
    options?: CallOptions,
  ): Promise<SandboxMessage> {
    const input = { path: { id: integration }, body: who };
    return this.#transport.call('POST /1/sandbox/{id}/block', input, options);
  }

  /** Reports a message as delivered, read or failed. */
  report(integration: number, receipt: SandboxReceipt, options?: CallOptions): Promise<void> {
    const input = { path: { id: integration }, body: receipt };
    return this.#transport.act('POST /1/sandbox/{id}/receipts', input, options);
  }

  /** Replaces the standing faults; an empty list removes them. */
  behave(
    integration: number,
    behaviours: SandboxBehaviours['behaviours'],
    options?: CallOptions,
  ): Promise<void> {
    const input = { path: { id: integration }, body: { behaviours } };
    return this.#transport.act('PUT /1/sandbox/{id}/behaviour', input, options);
  }

  /** Empties the phones and removes all faults. */
  reset(integration: number, options?: CallOptions): Promise<void> {
    return this.#transport.act(
      'POST /1/sandbox/{id}/reset',
      { path: { id: integration } },
      options,
    );
  }
}

function recognizerOf(wanted: MessageMatch): (message: SandboxMessage) => boolean {
  if (typeof wanted === 'function') return wanted;
  if (typeof wanted === 'string') return ({ text }) => text?.includes(wanted) === true;
  // A global pattern would remember where it stopped.
  const pattern = new RegExp(wanted.source, wanted.flags.replaceAll(/[gy]/g, ''));
  return ({ text }) => text !== undefined && pattern.test(text);
}
