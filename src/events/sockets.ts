import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { WebSocket, WebSocketServer } from 'ws';

import { SocketSlots } from '../lib/net/socket-slots.ts';
import type { UnsentBytes } from '../lib/net/unsent-bytes.ts';
import { CLOSE_CODES, keepAlive, closeSocket, refuse } from '../lib/net/web-socket-server.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { CHAT_EVENTS, type Event, dataJson, envelopeJson } from '../model/event.ts';
import { type Id, parseCursor } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { Feed } from './feed.ts';
import { type Holder, holderValidator } from './token-holders.ts';

/** Lifetime of a socket URL. */
const TICKET_TTL_MS = 30_000;
const PURPOSE = 'realtime';
const PATH = /^\/1\/realtime\/([^/?]+)\/?(?:\?(.*))?$/;

const READ_BATCH = 50;
/** Maximum unsent bytes per client before the service disconnects it. */
const MAX_UNSENT_BYTES = 1024 * 1024;
const MAX_WAIT_MS = 30_000;
/** Interval of access checks: a revoked key must stop working within a second. */
const CHECK_INTERVAL_MS = 700;
/** A socket with an older access check is checked again before events are sent. */
const MAX_CHECK_AGE_MS = 1_000;
/** Open sockets on one node. */
export const MAX_FEED_SOCKETS = { total: 10_000, perOwner: 100 };

interface SocketsOptions {
  store: Store;
  clock: Clock;
  log: Log;
  feed: Feed;
  /** Unsent bytes of all sockets on this node. */
  unsent: UnsentBytes;
  /** Public base URL of the service. */
  baseUrl(): string;
}

/** A client with its key and its event format. */
interface Consumer extends Holder {
  write(event: Event): string;
}

/** Streams feeds over WebSockets. A client that was away or too slow continues where it stopped. */
export class Sockets {
  readonly #options: SocketsOptions;
  readonly #open = new Map<WebSocket, Holder>();
  readonly #slots = new SocketSlots<Id>(MAX_FEED_SOCKETS);
  #cancelCheck: (() => void) | undefined;
  #isStopping = false;
  #server: Promise<WebSocketServer> | undefined;

  constructor(options: SocketsOptions) {
    this.#options = options;
  }

  /** Number of open sockets. */
  get open(): number {
    return this.#open.size;
  }

  /** The ticket of a socket URL. Any node accepts it. */
  ticket({ applicationId, keyId }: Holder): string {
    const { store, clock } = this.#options;
    const holder = JSON.stringify([applicationId, keyId]);
    return store.tickets.issue(PURPOSE, holder, clock.now() + TICKET_TTL_MS);
  }

  /** Handles requests for feed sockets; returns whether this was one. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const [, ticket, query = ''] = PATH.exec(request.url ?? '') ?? [];
    if (ticket === undefined) return false;
    const parameters = new URLSearchParams(query);
    const after = parameters.get('after') ?? '';
    const start = after === '' ? undefined : parseCursor(after);
    // Starting anywhere else than requested would lose events.
    if (after !== '' && start === undefined) refuse(socket, '400 Bad Request');
    else {
      const write = this.#writer(parameters.get('envelopes') === 'true');
      void this.#admit(ticket, socket).then(
        (holder) => holder && this.#accept(request, socket, head, { ...holder, write }, start),
      );
    }
    return true;
  }

  /** Redeems a ticket, or refuses the socket. */
  async #admit(ticket: string, socket: Duplex): Promise<Holder | undefined> {
    const { store, clock, log } = this.#options;
    try {
      const spent = await store.tickets.spend(PURPOSE, ticket, clock.now());
      if (spent === undefined) return refuse(socket, '401 Unauthorized');
      const [applicationId, keyId] = JSON.parse(spent) as [Id, Id];
      const holder = { applicationId, keyId };
      const inForce = await holderValidator(store, [holder], clock.now());
      if (!inForce(holder)) return refuse(socket, '401 Unauthorized');
      const refusal = this.#slots.take(applicationId, socket);
      if (refusal === 'too many') return refuse(socket, '429 Too Many Requests');
      if (refusal === 'full') return refuse(socket, '503 Service Unavailable');
      return holder;
    } catch (error) {
      log.warn({ err: error }, 'store unavailable, refusing a socket');
      return refuse(socket, '503 Service Unavailable');
    }
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    this.#cancelCheck?.();
    for (const socket of this.#open.keys()) {
      closeSocket(socket, CLOSE_CODES.stopping, 'the service is stopping; reconnect');
    }
    (await this.#server)?.close();
  }

  async #accept(
    request: IncomingMessage,
    duplex: Duplex,
    head: Buffer,
    consumer: Consumer,
    after: number | undefined,
  ): Promise<void> {
    // Loaded on first use: most services never need it.
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) => new WebSocketServer({ noServer: true, maxPayload: 4096 }),
    );
    const server = await this.#server;
    // Read before the socket opens, so that later events are sent.
    const start = after ?? (await this.#last(consumer));
    if (this.#isStopping || start === undefined) return refuse(duplex, '503 Service Unavailable');
    server.handleUpgrade(request, duplex, head, (socket) => {
      this.#open.set(socket, consumer);
      this.#cancelCheck ??= this.#scheduleCheck();
      const closed = new AbortController();
      const cancel = keepAlive(socket);
      socket.on('close', () => {
        this.#open.delete(socket);
        cancel();
        closed.abort();
      });
      socket.on('error', () => socket.terminate());
      void this.#stream(socket, consumer, start, closed.signal);
    });
  }

  #scheduleCheck(): () => void {
    return this.#options.clock.after(CHECK_INTERVAL_MS, () => void this.#check());
  }

  /** Closes sockets whose key was revoked or whose application was disabled; repeats while sockets are open. */
  async #check(): Promise<void> {
    const { store, clock, log } = this.#options;
    const open = [...this.#open];
    try {
      const holders = open.map(([, holder]) => holder);
      const inForce = await holderValidator(store, holders, clock.now());
      for (const [socket, holder] of open) {
        if (!inForce(holder)) closeSocket(socket, CLOSE_CODES.refused, REVOKED);
      }
    } catch (error) {
      // An unavailable store must not disconnect anyone.
      log.debug({ err: error }, 'store unavailable, sockets not checked');
    }
    this.#cancelCheck =
      this.#open.size > 0 && !this.#isStopping ? this.#scheduleCheck() : undefined;
  }

  /** The last event of the feed; undefined if the store is unavailable. */
  async #last({ applicationId }: Consumer): Promise<number | undefined> {
    const { store, log } = this.#options;
    try {
      return await store.events.last(applicationId);
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'feed stream failed');
      return undefined;
    }
  }

  /** Never rejects: it runs until the client disconnects or the service stops. */
  async #stream(
    socket: WebSocket,
    consumer: Consumer,
    start: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, feed, log, clock } = this.#options;
    const { applicationId } = consumer;
    let checkedAt = -Infinity;
    try {
      let after = start;
      while (!signal.aborted && !this.#isStopping) {
        const { events, upTo } = await store.events.next(applicationId, after, READ_BATCH);
        if (events.length > 0 && clock.now() - checkedAt >= MAX_CHECK_AGE_MS) {
          const inForce = await holderValidator(store, [consumer], clock.now());
          if (!inForce(consumer)) return closeSocket(socket, CLOSE_CODES.refused, REVOKED);
          checkedAt = clock.now();
        }
        after = this.#send(socket, consumer, events) ?? upTo;
        if (socket.bufferedAmount > MAX_UNSENT_BYTES) {
          // The rest of the events is read again later instead of being kept in memory.
          await waitForDrain(socket, signal);
          if (socket.bufferedAmount > MAX_UNSENT_BYTES) {
            log.info({ application_id: applicationId, after }, 'client too slow, disconnecting');
            return closeSocket(socket, CLOSE_CODES.slow, 'too slow; reconnect with after');
          }
        } else if (events.length === 0) await feed.wait(applicationId, after, MAX_WAIT_MS, signal);
      }
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'feed stream failed');
      closeSocket(socket, CLOSE_CODES.fault, 'internal error; reconnect with after');
    }
  }

  /** Sends events until the buffer is full. Returns the last one sent, or undefined if all were sent. */
  #send(socket: WebSocket, consumer: Consumer, events: readonly Event[]): number | undefined {
    for (const event of events) {
      this.#options.unsent.send(socket, consumer.write(event));
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) return event.id;
    }
    return undefined;
  }

  /** Received messages are bare activities, unless the client wants envelopes for all events. */
  #writer(allInEnvelopes: boolean): Consumer['write'] {
    const { baseUrl } = this.#options;
    return (event) =>
      CHAT_EVENTS.has(event.type) && !allInEnvelopes
        ? dataJson(event, baseUrl())
        : envelopeJson(event, baseUrl());
  }
}

const REVOKED = 'the application or key was deleted or disabled';

/** Time for a slow client to receive the buffered data. */
const DRAIN_TIMEOUT_MS: Millis = 5_000;

async function waitForDrain(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const end = performance.now() + DRAIN_TIMEOUT_MS;
  while (
    socket.bufferedAmount > MAX_UNSENT_BYTES / 2 &&
    performance.now() < end &&
    !signal.aborted
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
