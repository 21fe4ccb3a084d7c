import { createHmac, randomBytes } from 'node:crypto';

import { WebSocket } from 'ws';

import type { ClientFrame, ShownEntry, ServerFrame } from '../../../src/chat/frames.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { until } from '../until.ts';
import { integrate, message } from './activity.ts';
import type { Client, Reply } from './client.ts';
import type { Shown } from './delivery.ts';
import { type TestService, type TestServiceOptions, startTestService } from './service.ts';

export const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';

/** An event of the feed. */
export interface Happened {
  id: number;
  type: string;
  data: {
    actor: { id: string; name?: string };
    object: {
      id: string;
      type: string;
      content?: string;
      attachment?: Record<string, unknown>[];
    } & Record<string, unknown>;
    [more: string]: unknown;
  };
}

/** A service with a web chat and its application. */
export interface ChatService extends AsyncDisposable {
  service: TestService;
  app: Client;
  integrationId: number;
  applicationId: number;
  /** The URL of the chat page. */
  page: string;
  /** Sends a message to a visitor; returns its id. */
  send(to: string, object: string | Record<string, unknown>, change?: object): Promise<number>;
  /** Waits until the message is in that state. */
  reaches(id: number, state: string): Promise<Shown>;
  events(type?: string): Promise<Happened[]>;
  /** Waits for the first matching event. */
  event(type: string, isWanted?: (event: Happened) => boolean): Promise<Happened>;
  /** Starts a chat session, like the page does. */
  begin(body?: object, id?: number): Promise<Reply>;
  /** Starts a chat session and opens its socket. */
  visit(body?: object, after?: number): Promise<Guest>;
  /** Another node on the same database, for the same application. */
  another(options?: TestServiceOptions): Promise<ChatService>;
}

export async function openChat(
  engine: EngineName,
  credentials: Record<string, string> = {},
  options: TestServiceOptions = {},
): Promise<ChatService> {
  const service = await startTestService(engine, withRole(options));
  const { application, app } = await service.application();
  const fields = { name: 'webmessenger', token: undefined, ...credentials };
  const { id } = await integrate(app, application.id, fields);
  return over(engine, service, app, application.id, id);
}

const withRole = ({ environment, ...options }: TestServiceOptions) => ({
  ...options,
  environment: { SWITCHBOARD_ROLE: 'all', ...environment },
});

function over(
  engine: EngineName,
  service: TestService,
  app: Client,
  applicationId: number,
  integrationId: number,
): ChatService {
  const begin = (body: object = {}, id = integrationId) =>
    service.as(undefined).post(`/chat/${id}/session`, body);
  const events = async (type?: string) => {
    const { body } = await app.get('/1/events?limit=1000');
    const all = body.data as Happened[];
    return type === undefined ? all : all.filter((event) => event.type === type);
  };
  return {
    service,
    app,
    applicationId,
    integrationId,
    page: `${service.url}/chat/${integrationId}`,
    async send(to, object, change = {}) {
      const noteObject = typeof object === 'string' ? { type: 'Note', content: object } : object;
      const generator = { type: 'Service', id: integrationId };
      const activity = message({
        generator,
        to: { type: 'Person', id: to },
        object: noteObject,
        ...change,
      });
      const { body } = await app.post('/1/message', activity);
      return body.id;
    },
    reaches: (id, state) =>
      until(`message ${id} is ${state}`, async () => {
        const { body } = await app.get(`/1/messages/${id}`);
        return body.state === state && (body as Shown);
      }),
    events,
    event: (type, isWanted = () => true) =>
      until(`an event ${type}`, async () => (await events(type)).find(isWanted)),
    begin,
    async visit(body = {}, after) {
      const { body: session } = await begin(body);
      return Guest.open(service.url, session, after);
    },
    async another(options = {}) {
      const { database } = service;
      const other = await startTestService(engine, withRole({ database, ...options }));
      return over(engine, other, other.as(app.token), applicationId, integrationId);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** A visitor without a browser: sends and receives the socket's frames. */
export class Guest {
  readonly id: string;
  readonly token: string;
  readonly frames: ServerFrame[] = [];
  /** The close code and reason, once the socket is closed. */
  closed: [number, string] | undefined;
  readonly #socket: WebSocket;

  private constructor(id: string, token: string, socket: WebSocket) {
    this.id = id;
    this.token = token;
    this.#socket = socket;
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data)) as ServerFrame));
    socket.on('close', (code, reason) => (this.closed = [code, String(reason)]));
    socket.on('error', () => {});
  }

  static async open(
    url: string,
    { visitor, token, socket: path }: { visitor: string; token: string; socket: string },
    after?: number,
  ): Promise<Guest> {
    const socket = new WebSocket(url.replace('http', 'ws') + path);
    const guest = new Guest(visitor, token, socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    guest.do({ do: 'hello', ...(after !== undefined && { after }) });
    await guest.waitFor((frame) => frame.is === 'history' || frame.is === 'resumed');
    return guest;
  }

  do(asked: ClientFrame): void {
    this.#socket.send(JSON.stringify(asked));
  }

  /** Sends an arbitrary frame. */
  raw(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  /** Sends a text and waits until it is accepted or refused. */
  async say(text: string, { key = newKey(), files = [] as string[] } = {}): Promise<ServerFrame> {
    this.do({ do: 'say', key, text, files });
    return this.waitFor((frame) => 'key' in frame && frame.key === key);
  }

  waitFor(isWanted: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    return until('a frame', () => {
      const found = this.frames.find(isWanted);
      if (!found && this.closed) throw new Error(`the socket was closed: ${this.closed.join(' ')}`);
      return found;
    });
  }

  /** Waits for the entry with this text. */
  sees(text: string): Promise<ShownEntry> {
    return until(`the visitor sees ${text}`, () => this.entries.find((entry) => says(entry, text)));
  }

  /** The latest version of each received entry. */
  get entries(): ShownEntry[] {
    const entries = new Map<number, ShownEntry>();
    for (const frame of this.frames) {
      const given = frame.is === 'entry' ? [frame.entry] : 'entries' in frame ? frame.entries : [];
      for (const entry of given) entries.set(entry.number, entry);
    }
    return [...entries.values()].toSorted((a, b) => a.number - b.number);
  }

  get texts(): string[] {
    return this.entries.map(textOf);
  }

  isClosed(): Promise<[number, string]> {
    return until('the socket is closed', () => this.closed);
  }

  leave(): void {
    this.#socket.terminate();
  }
}

export const newKey = () => randomBytes(16).toString('base64url');

export function textOf({ body }: ShownEntry): string {
  const { text = [] } = (body ?? {}) as { text?: { text: string }[] };
  return text.map((run) => run.text).join('');
}

const says = (entry: ShownEntry, text: string) => textOf(entry) === text;

/** The identity token that an application signs for a known visitor. */
export function identity(
  claims: Record<string, unknown>,
  {
    secret = SECRET,
    header = { alg: 'HS256', typ: 'JWT' },
  }: { secret?: string; header?: object } = {},
): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const content = `${encode(header)}.${encode({ exp, ...claims })}`;
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
}
