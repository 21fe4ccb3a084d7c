import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { WebSocket, WebSocketServer } from 'ws';

import { SocketSlots } from '../lib/net/socket-slots.ts';
import type { UnsentBytes } from '../lib/net/unsent-bytes.ts';
import { CLOSE_CODES, keepAlive, closeSocket, refuse } from '../lib/net/web-socket-server.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { type Id, parseId } from '../model/id.ts';
import type { ServerFrame } from './frames.ts';
import { MAX_CHAT_SOCKETS, MAX_SOCKETS, MAX_SOCKETS_OF_ADDRESS } from './limits.ts';
import { Session, type SessionOptions, visitorKey } from './session.ts';
import type { ConnectedVisitor, Visitors } from './visitors.ts';

const PATH = /^\/chat\/(\d{1,19})\/socket\?(.{1,8000})$/;
const MAX_FRAME_BYTES = 64 * 1024;
/** Maximum unsent bytes per browser before the service disconnects it. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

interface ChatSocketsOptions extends SessionOptions {
  log: Log;
  visitors: Visitors;
  /** Unsent bytes of all sockets on this node. */
  unsent: UnsentBytes;
}

interface Open {
  socket: WebSocket;
  visitor: string;
  address: string;
}

/** WebSockets of web chat pages. */
export class ChatSockets {
  readonly #options: ChatSocketsOptions;
  readonly #open = new Set<Open>();
  readonly #slots = new SocketSlots<Id>(MAX_CHAT_SOCKETS);
  #server: Promise<WebSocketServer> | undefined;
  #isStopping = false;

  constructor(options: ChatSocketsOptions) {
    this.#options = options;
  }

  /** Number of open sockets. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Handles requests for web chat sockets; returns whether this was one. The ticket in the URL is valid for
   * half a minute, so that a leaked URL is useless.
   */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const [, id, query] = PATH.exec(request.url ?? '') ?? [];
    const integrationId = parseId(id);
    if (!integrationId) return false;
    const ticket = new URLSearchParams(query).get('ticket') ?? '';
    void this.#admit(integrationId, ticket, socket).then(
      (visitor) => visitor && this.#accept(request, socket, head, visitor),
    );
    return true;
  }

  /** Redeems a ticket, or refuses the socket. */
  async #admit(
    integrationId: Id,
    ticket: string,
    socket: Duplex,
  ): Promise<ConnectedVisitor | undefined> {
    const { visitors, log } = this.#options;
    try {
      const visitor = await visitors.byTicket(integrationId, ticket);
      if (!visitor) return refuse(socket, '401 Unauthorized');
      if (this.#isStopping) return refuse(socket, '503 Service Unavailable');
      if (this.#isCrowded(visitor)) return refuse(socket, '429 Too Many Requests');
      const refusal = this.#slots.take(integrationId, socket);
      if (refusal === 'too many') return refuse(socket, '429 Too Many Requests');
      if (refusal === 'full') return refuse(socket, '503 Service Unavailable');
      return visitor;
    } catch (error) {
      log.warn(
        { err: error, integration_id: integrationId },
        'store unavailable, refusing a socket',
      );
      return refuse(socket, '503 Service Unavailable');
    }
  }

  async close(): Promise<void> {
    this.#isStopping = true;
    for (const { socket } of this.#open) {
      closeSocket(socket, CLOSE_CODES.stopping, 'the service is stopping');
    }
    (await this.#server)?.close();
  }

  #isCrowded({ address }: ConnectedVisitor): boolean {
    const sameAddress = [...this.#open].filter((open) => open.address === address);
    return sameAddress.length >= MAX_SOCKETS_OF_ADDRESS;
  }

  async #accept(
    request: IncomingMessage,
    duplex: Duplex,
    head: Buffer,
    visitor: ConnectedVisitor,
  ): Promise<void> {
    // Loaded on first use: most services never need it.
    this.#server ??= import('ws').then(
      ({ WebSocketServer }) => new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES }),
    );
    const server = await this.#server;
    if (this.#isStopping) return refuse(duplex, '503 Service Unavailable');
    server.handleUpgrade(request, duplex, head, (socket) => this.#serve(socket, visitor));
  }

  #serve(socket: WebSocket, visitor: ConnectedVisitor): void {
    const { log } = this.#options;
    const open = { socket, visitor: visitorKey(visitor), address: visitor.address };
    this.#closeOldest(open.visitor);
    this.#open.add(open);
    const session = new Session(
      visitor,
      {
        send: (frame) => this.#send(socket, frame),
        dismiss: (why) => closeSocket(socket, CLOSE_CODES.refused, why),
        fail(error) {
          log.warn({ err: error, integration_id: visitor.integrationId }, 'chat connection failed');
          closeSocket(socket, CLOSE_CODES.fault, 'internal error; reconnect');
        },
      },
      this.#options,
    );
    const cancel = keepAlive(socket, () => {
      session.hasAccess().then(
        (hasAccess) => void (hasAccess || closeSocket(socket, CLOSE_CODES.refused, 'closed')),
        // An unavailable store must not disconnect anyone.
        () => {},
      );
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary || !Buffer.isBuffer(data))
        closeSocket(socket, CLOSE_CODES.refused, 'frames must be text');
      else session.receive(data.toString());
    });
    socket.on('close', () => {
      this.#open.delete(open);
      cancel();
      session.close();
    });
    socket.on('error', () => socket.terminate());
  }

  #send(socket: WebSocket, frame: ServerFrame): void {
    this.#options.unsent.send(socket, JSON.stringify(frame));
    if (socket.bufferedAmount > MAX_UNSENT_BYTES)
      closeSocket(socket, CLOSE_CODES.slow, 'too slow; reconnect');
  }

  /** Closes the oldest page of a visitor with too many. */
  #closeOldest(visitor: string): void {
    const own = [...this.#open].filter((open) => open.visitor === visitor);
    for (const { socket } of own.slice(0, Math.max(0, own.length - MAX_SOCKETS + 1))) {
      closeSocket(socket, CLOSE_CODES.refused, 'too many open pages');
    }
  }
}
