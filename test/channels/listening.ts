import assert from 'node:assert/strict';

import type { Channel, Context, Failure } from '../../src/channels/channel.ts';
import type { InboundEvent, Ignored } from '../../src/channels/inbound.ts';
import { faultOutcome } from '../../src/deliver/attempt/attempt.ts';
import { FetchFault } from '../../src/lib/http/fetch.ts';
import { until } from '../support/until.ts';

/* Listens as the service does and records the events. */

export interface TestListener extends AsyncDisposable {
  /** Received events without duplicates. */
  readonly inboundEvents: readonly InboundEvent[];
  /** Ignored events. */
  readonly ignored: readonly Ignored[];
  /** The last cursor. */
  readonly cursor: string | undefined;
  /** All cursors in order. */
  readonly cursors: readonly string[];
  /** Whether the channel reported a session. */
  readonly isConnected: boolean;
  /** Settles when the session ends, by itself or by `end()`. */
  readonly ended: Promise<Failure | undefined>;
  /** Waits until `count` events have arrived. */
  waitFor(count: number): Promise<readonly InboundEvent[]>;
  /** Makes the next store operation fail. */
  failNext(): void;
  /** Ends the session. */
  end(): void;
}

export function listenTo(channel: Channel, context: Context, from?: string): TestListener {
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
  let isConnected = false;
  const session = listen({
    ...context,
    signal: abort.signal,
    // The service aborts requests the same way when it stops listening.
    fetch: async (url, request) => Promise.race([context.fetch(url, request), givenUp]),
    cursor,
    connected: () => void (isConnected = true),
    notConfigured: () => {},
    async emit(more, next) {
      assert.ok(isConnected, 'a session reports that it is connected before its first event');
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
    get isConnected() {
      return isConnected;
    },
    ended,
    waitFor: async (count) =>
      until(`${count} inbound events`, () => inboundEvents.length >= count && inboundEvents),
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

/** The address for replies must be a valid recipient: the sender or the group. */
function assertUsable(channel: Channel, inboundEvent: InboundEvent): void {
  if (!('from' in inboundEvent) || 'to' in inboundEvent || 'category' in inboundEvent) return;
  const { from, group, answerTo = group?.id ?? from.id } = inboundEvent;
  for (const id of [answerTo, ...(group ? [group.id] : [])]) {
    assert.equal(channel.recipient.validate(id), undefined, `${id} is not a valid recipient`);
  }
}

/** The type and reason of each. */
export const kindsOf = (ignored: readonly Ignored[]) =>
  ignored.map(({ type, reason }) => `${type}: ${reason}`);

/** Removes keys, which differ on each run. */
export function withoutKeys(inboundEvents: readonly InboundEvent[]): object[] {
  return inboundEvents.map((inboundEvent) => {
    const { key: _, ...rest } = { key: '', ...inboundEvent };
    return rest;
  });
}
