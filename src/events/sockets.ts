import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { WebSocket, WebSocketServer } from 'ws';

import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { CLOSES, keepAlive, part, refuse } from '../lib/web-socket-server.ts';
import type { ApplicationPrincipal } from '../model/account.ts';
import { ACTIVITY_EVENTS, type Event, dataJson, envelopeJson } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { Feed } from './feed.ts';

/** How long the address of a socket is good for, in milliseconds. */
const TICKET_LASTS = 30_000;
const PURPOSE = 'realtime';
const PATH = /^\/1\/realtime\/([^/?]+)\/?(?:\?(.*))?$/;

const BITE = 200;
/** How much may wait for a consumer to take it, in bytes, before it is sent away. */
const MOST_WAITING = 1024 * 1024;
/** How long nothing may happen before it is looked whether a consumer may still listen. */
const LOOK_EVERY = 30_000;
/** How long ago it may have been looked when something is told. */
const STALE_AFTER = 1_000;

export interface SocketsOptions {
  store: Store;
  clock: Clock;
  log: Log;
  feed: Feed;
  /** Where the outside world reaches the service. */
  baseUrl(): string;
}

/** Whose feed it is, and which key lets them in. */
type Holder = Pick<ApplicationPrincipal, 'applicationId' | 'keyId'>;

/** Who listens, with which key it was let in, and how events are written for it. */
interface Consumer extends Holder {
  write(event: Event): string;
}

/** Streams feeds over WebSockets. A consumer that was away, or too slow, goes on where it was. */
export class Sockets {
  readonly #options: SocketsOptions;
  readonly #open = new Set<WebSocket>();
  #isStopping = false;
  #server: Promise<WebSocketServer> | undefined;

  constructor(options: SocketsOptions) {
    this.#options = options;
  }

  /** How many are open. */
  get open(): number {
    return this.#open.size;
  }

  /** What the address of a socket ends with. Any node takes it. */
  ticket({ applicationId, keyId }: Holder): string {
    const { store, clock } = this.#options;
    const holder = JSON.stringify([applicationId, keyId]);
    return store.tickets.issue(PURPOSE, holder, clock.now() + TICKET_LASTS);
  }

  /** Answers whether the request is for a socket of this kind; it is then seen to. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const [, ticket, query = ''] = PATH.exec(request.url ?? '') ?? [];
    if (ticket === undefined) return false;
    const { store, clock } = this.#options;
    const holder = store.tickets.redeem(PURPOSE, ticket, clock.now());
    const asked = new URLSearchParams(query);
    const after = asked.get('after') ?? undefined;
    if (holder === undefined) refuse(socket, '401 Unauthorized');
    // To begin anywhere else than where it asks to would lose what is in between.
    else if (after !== undefined && !/^\d{1,15}$/.test(after)) refuse(socket, '400 Bad Request');
    else {
      const [applicationId, keyId] = JSON.parse(holder) as [Id, Id];
      const start = after === undefined ? undefined : Number(after);
      const write = this.#writer(asked.get('envelopes') === 'true');
      void this.#accept(request, socket, head, { applicationId, keyId, write }, start);
    }
    return true;
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    for (const socket of this.#open) {
      part(socket, CLOSES.stopping, 'the service is stopping; open another and go on');
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
    // Only now: most services never need it.
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) => new WebSocketServer({ noServer: true, maxPayload: 4096 }),
    );
    const server = await this.#server;
    // Before it is open: what happens from then on is told.
    const start = after ?? (await this.#last(consumer));
    if (this.#isStopping || start === undefined) return refuse(duplex, '503 Service Unavailable');
    server.handleUpgrade(request, duplex, head, (socket) => {
      this.#open.add(socket);
      const gone = new AbortController();
      const callOff = keepAlive(socket);
      socket.on('close', () => {
        this.#open.delete(socket);
        callOff();
        gone.abort();
      });
      socket.on('error', () => socket.terminate());
      void this.#stream(socket, consumer, start, gone.signal);
    });
  }

  /** How far the feed goes now; undefined when the store cannot say. */
  async #last({ applicationId }: Consumer): Promise<number | undefined> {
    const { store, log } = this.#options;
    try {
      return await store.events.last(applicationId);
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'a feed could not be streamed');
      return undefined;
    }
  }

  /** Never rejects: it runs by itself until the consumer is gone, or the service stops. */
  async #stream(
    socket: WebSocket,
    consumer: Consumer,
    start: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { store, feed, log, clock } = this.#options;
    const { applicationId } = consumer;
    let lookedAt = -Infinity;
    try {
      let after = start;
      for (let isMore = true; !signal.aborted && !this.#isStopping;) {
        const { events, upTo } = await store.events.next(applicationId, after, BITE);
        if (!isMore || (events.length > 0 && clock.now() - lookedAt >= STALE_AFTER)) {
          if (!(await this.#mayListen(consumer))) {
            return part(socket, CLOSES.refused, 'the application or the key is gone or disabled');
          }
          lookedAt = clock.now();
        }
        for (const event of events) {
          socket.send(consumer.write(event));
          if (socket.bufferedAmount <= MOST_WAITING) continue;
          await drained(socket, signal);
          if (socket.bufferedAmount > MOST_WAITING) {
            log.info(
              { application_id: applicationId, after: event.id },
              'a consumer of the feed is too slow',
            );
            return part(socket, CLOSES.slow, 'too slow; open another and go on with after');
          }
        }
        after = upTo;
        isMore = events.length > 0 || (await feed.wait(applicationId, after, LOOK_EVERY, signal));
      }
    } catch (error) {
      log.warn({ err: error, application_id: applicationId }, 'a feed could not be streamed');
      part(socket, CLOSES.fault, 'open another and go on with after');
    }
  }

  /** Whether the key that the socket was opened with would still open one. */
  async #mayListen({ applicationId, keyId }: Consumer): Promise<boolean> {
    const { store, clock } = this.#options;
    const signer = await store.keys.signer(keyId);
    if (signer?.state !== 'enable' || signer.principal.state !== 'enable') return false;
    if (signer.principal.kind === 'user') {
      // Somebody who acts for it.
      const application = await store.applications.get(applicationId);
      if (application?.teamId !== signer.principal.teamId) return false;
      if (application.state !== 'enable') return false;
    }
    return signer.expiresAt === null || clock.now() < signer.expiresAt;
  }

  /** Activities of people are bare, unless all events are wanted in their envelopes. */
  #writer(allInEnvelopes: boolean): Consumer['write'] {
    const { baseUrl } = this.#options;
    return (event) =>
      ACTIVITY_EVENTS.has(event.type) && !allInEnvelopes
        ? dataJson(event, baseUrl())
        : envelopeJson(event, baseUrl());
  }
}

/** A while for what waits to be taken. */
const PATIENCE: Millis = 5_000;

async function drained(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (socket.bufferedAmount > MOST_WAITING / 2 && performance.now() < end && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
