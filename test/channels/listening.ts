import assert from 'node:assert/strict';

import type { Channel, Context, Failure } from '../../src/channels/channel.ts';
import type { InboundEvent, Ignored } from '../../src/channels/inbound.ts';
import { faultOutcome } from '../../src/deliver/attempt/attempt.ts';
import { FetchFault } from '../../src/lib/http/fetch.ts';
import { until } from '../support/until.ts';

/* Listens as the service does, and keeps what it hears. */

export interface Ear extends AsyncDisposable {
  /** What has arrived, each once. */
  readonly inboundEvents: readonly InboundEvent[];
  /** What was ignored. */
  readonly ignored: readonly Ignored[];
  /** The last that was given. */
  readonly cursor: string | undefined;
  /** All that were given, in order. */
  readonly cursors: readonly string[];
  /** Settles when the session is over, by itself or because it was told to end. */
  readonly ended: Promise<Failure | undefined>;
  /** Waits for so many arrivals. */
  hears(count: number): Promise<readonly InboundEvent[]>;
  /** What is stored next cannot be. */
  failNext(): void;
  /** Tells it to end. */
  end(): void;
}

export function listenTo(channel: Channel, context: Context, from?: string): Ear {
  const { listen } = channel;
  assert.ok(listen, `${channel.name} does not listen`);
  const abort = new AbortController();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  givenUp.catch(() => {});
  abort.signal.addEventListener('abort', () => reject(new FetchFault('given up', true)));
  const inboundEvents: InboundEvent[] = [];
  const ignored: Ignored[] = [];
  const keys = new Set<string>();
  const cursors: string[] = [];
  let cursor = from;
  let fails = false;
  const session = listen({
    ...context,
    signal: abort.signal,
    // As the service does, for as long as it listens.
    fetch: async (url, request) => Promise.race([context.fetch(url, request), givenUp]),
    cursor,
    async emit(more, next) {
      abort.signal.throwIfAborted();
      await Promise.resolve();
      if (fails) {
        fails = false;
        throw new Error('the store is full');
      }
      for (const inboundEvent of more) {
        if (inboundEvent.what === 'ignored') ignored.push(inboundEvent);
        else if (inboundEvent.what !== 'nothing' && isNew(keys, inboundEvent))
          inboundEvents.push(inboundEvent);
        assertUsable(channel, inboundEvent);
      }
      cursor = next ?? cursor;
      if (next !== undefined) cursors.push(next);
    },
  });
  const ended = session.catch((error: unknown): Failure | undefined => {
    if (abort.signal.aborted) return undefined;
    if (error instanceof FetchFault) return faultOutcome(error);
    const detail = error instanceof Error ? error.message : String(error);
    return { outcome: 'transient', maybeSent: false, detail };
  });
  return {
    inboundEvents,
    ignored,
    cursors,
    get cursor() {
      return cursor;
    },
    ended,
    hears: async (count) =>
      until(`${count} arrivals`, () => inboundEvents.length >= count && inboundEvents),
    failNext: () => void (fails = true),
    end: () => abort.abort(),
    async [Symbol.asyncDispose]() {
      abort.abort();
      await ended;
    },
  };
}

function isNew(keys: Set<string>, inboundEvent: InboundEvent): boolean {
  if (!('key' in inboundEvent)) return true;
  const key = `${inboundEvent.what} ${inboundEvent.key}`;
  return keys.size < keys.add(key).size;
}

/** To answer is to write to whoever it was, or to the group. */
function assertUsable(channel: Channel, inboundEvent: InboundEvent): void {
  if (!('from' in inboundEvent) || 'to' in inboundEvent || 'category' in inboundEvent) return;
  const { from, group, answerTo = group?.id ?? from.id } = inboundEvent;
  for (const id of [answerTo, ...(group ? [group.id] : [])]) {
    assert.equal(channel.recipient.validate(id), undefined, `${id} cannot be written to`);
  }
}

/** The type and the reason of each. */
export const kindsOf = (ignored: readonly Ignored[]) =>
  ignored.map(({ type, reason }) => `${type}: ${reason}`);

/** Without what is different each time. */
export function withoutKeys(inboundEvents: readonly InboundEvent[]): object[] {
  return inboundEvents.map((inboundEvent) => {
    const { key: _, ...rest } = { key: '', ...inboundEvent };
    return rest;
  });
}
