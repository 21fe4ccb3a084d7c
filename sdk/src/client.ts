import type { Event, SignIn } from './api.ts';
import { type FeedOptions, type HistoryFilter, readFeed } from './feed.ts';
import { type List, listOf } from './list.ts';
import { type RealtimeOptions, type WebSocketClass, readRealtime } from './realtime.ts';
import { Applications } from './resources/applications.ts';
import { Audit } from './resources/audit.ts';
import { Channels } from './resources/channels.ts';
import { Integrations } from './resources/integrations.ts';
import { Invitations } from './resources/invitations.ts';
import { Jobs } from './resources/jobs.ts';
import { Keys } from './resources/keys.ts';
import { Messages } from './resources/messages.ts';
import { Statistics } from './resources/statistics.ts';
import { Teams } from './resources/teams.ts';
import { Tokens } from './resources/tokens.ts';
import { Users } from './resources/users.ts';
import { Webhooks } from './resources/webhooks.ts';
import { type Key, type Token, tokenSource } from './token.ts';
import {
  type Answer,
  type CallOptions,
  type Given,
  type OperationName,
  Transport,
} from './transport.ts';

export interface SwitchboardOptions {
  /** Where the service is, such as `https://messages.example.com`. */
  url: string | URL;
  /** A token of a user or of an application, or a function that gets one. */
  token?: Token;
  /** In place of a token: a key, with which the client signs short tokens for itself. Not for browsers. */
  key?: Key;
  /** With what speaks for a user: the id of the application that the user acts for. */
  application?: number;
  /** How long one try of a call may take, in milliseconds; 30 seconds unless told otherwise. */
  timeout?: number;
  /** How often a call is tried again at the most, where that is safe; 3 times unless told otherwise. */
  retries?: number;
  /** Makes the calls, in place of the `fetch` of the runtime. */
  fetch?: typeof fetch;
  /** Opens sockets, in place of the `WebSocket` of the runtime. */
  WebSocket?: WebSocketClass;
}

const TIMEOUT = 30_000;
const RETRIES = 3;

/**
 * The client of a Switchboard service.
 *
 * ```ts
 * const client = new Switchboard({ url: 'https://messages.example.com', token });
 * await client.messages.send({ to: '123456789', via: 'telegram', text: 'Hello' });
 * ```
 *
 * Messages, integrations and events take a token of an application; applications, users, keys and webhooks take
 * one of a user. A call that does not work out rejects with a {@link SwitchboardError}.
 */
export class Switchboard {
  /** Send messages, and see what became of them. */
  readonly messages: Messages;
  /** The same as `messages`, by the name of the call that sends one: `client.message.send(…)`. */
  readonly message: Messages;
  /** What is done to many messages at once. */
  readonly jobs: Jobs;
  /** The credentials of channels. */
  readonly integrations: Integrations;
  /** The channels that there are. */
  readonly channels: Channels;
  readonly applications: Applications;
  readonly users: Users;
  readonly teams: Teams;
  /** Links that let people join the team. */
  readonly invitations: Invitations;
  /** Who changed what in the team. */
  readonly audit: Audit;
  /** Keys with which applications sign tokens. */
  readonly applicationKeys: Keys;
  /** Keys with which users sign tokens. */
  readonly userKeys: Keys;
  readonly tokens: Tokens;
  /** Where applications are told what happens, and what was delivered there. */
  readonly webhooks: Webhooks;
  /** What happened to messages, and how things stand. */
  readonly statistics: Statistics;
  readonly #options: SwitchboardOptions;
  readonly #transport: Transport;
  readonly #Socket: WebSocketClass | undefined;

  constructor(options: SwitchboardOptions) {
    const { token, key, application, timeout = TIMEOUT, retries = RETRIES } = options;
    checkCredentials(token, key);
    const transport = new Transport({
      url: baseOf(options.url),
      token: tokenSource(token, key),
      application,
      // Called as a method of something else, the fetch of a browser refuses.
      fetch: options.fetch ?? ((...given) => fetch(...given)),
      timeout,
      retries,
    });
    this.#options = options;
    this.#transport = transport;
    this.#Socket = options.WebSocket ?? globalThis.WebSocket;
    this.messages = new Messages(transport);
    this.message = this.messages;
    this.jobs = new Jobs(transport);
    this.integrations = new Integrations(transport);
    this.channels = new Channels(transport);
    this.applications = new Applications(transport);
    this.users = new Users(transport);
    this.teams = new Teams(transport);
    this.invitations = new Invitations(transport);
    this.audit = new Audit(transport);
    this.applicationKeys = new Keys(transport, 'applications');
    this.userKeys = new Keys(transport, 'users');
    this.tokens = new Tokens(transport);
    this.webhooks = new Webhooks(transport);
    this.statistics = new Statistics(transport);
  }

  /** Signs in with email and password, or with the code of a one-time link; answers a client of that user. */
  static async signIn(
    options: Omit<SwitchboardOptions, 'token' | 'key'> & SignIn,
  ): Promise<Switchboard> {
    const { email, password, code, ...rest } = options;
    const { token } = await new Switchboard(rest).tokens.signIn({
      ...(email !== undefined && { email }),
      ...(password !== undefined && { password }),
      ...(code !== undefined && { code }),
    });
    return new Switchboard({ ...rest, token });
  }

  /** For a user: a client that acts for an application of the team, for messages, integrations and events. */
  actFor(applicationId: number): Switchboard {
    return new Switchboard({ ...this.#options, application: applicationId });
  }

  /**
   * Everything that the application is told, in one order: first what happened since `after`, then what happens,
   * until you stop. Keep the id of the last event that you are done with, and go on after it.
   *
   * ```ts
   * for await (const event of client.events({ after })) {
   *   if (event.type === 'message.received') console.log(event.data.object.content);
   * }
   * ```
   *
   * It asks by long polling, and goes on where it was when the service was away.
   */
  events(options: FeedOptions = {}): AsyncGenerator<Event, void, undefined> {
    return readFeed(this.#transport, options);
  }

  /**
   * The same events over a WebSocket, a moment sooner; without `after` from now on. It goes on where it was when the
   * connection is lost: nothing is lost or told twice. Where there is no
   * WebSocket, or none gets through, it asks by long polling.
   */
  realtime(options: RealtimeOptions = {}): AsyncGenerator<Event, void, undefined> {
    return readRealtime(this.#transport, this.#Socket, options);
  }

  /** What has happened, as a list: the newest first, or what followed on an event. */
  history(filter: HistoryFilter = {}, options?: CallOptions): List<Event> {
    const { limit, types, after } = filter;
    const query = {
      ...(after === undefined ? { order: 'desc' as const } : { after }),
      ...(limit !== undefined && { limit }),
      ...(types && { type: types.join(',') }),
    };
    return listOf(this.#transport, 'GET /1/events', { query }, options);
  }

  /** One event of the feed. */
  event(id: number, options?: CallOptions): Promise<Event> {
    return this.#transport.call('GET /1/events/{id}', { path: { id } }, options);
  }

  /** A file that somebody sent, by the `url` that the attachment of a received message has. */
  download(url: string, options?: CallOptions): Promise<Response> {
    const [, id, number] = /\/1\/events\/(\d+)\/media\/(\d+)(?:\?|$)/.exec(url) ?? [];
    if (id === undefined || number === undefined) {
      throw new TypeError(`download: ${url} is no address of a received file`);
    }
    const path = { id: Number(id), number: Number(number) };
    return this.#transport.file('GET /1/events/{id}/media/{number}', { path }, options);
  }

  /** Any call of the interface, as `/docs` of the service lists them. */
  call<Name extends OperationName>(
    name: Name,
    given: Given<Name>,
    options?: CallOptions,
  ): Promise<Answer<Name>> {
    return this.#transport.any(name, given, options);
  }
}

function checkCredentials(token: Token | undefined, key: Key | undefined): void {
  if (token !== undefined && key !== undefined) {
    throw new TypeError('Switchboard: give a token or a key, not both');
  }
  if (typeof token === 'string' && token.trim() === '') {
    throw new TypeError('Switchboard: the token is empty; is the variable set that it comes from?');
  }
  if (key && (String(key.id) === '' || key.secret === '')) {
    throw new TypeError('Switchboard: a key has an id and a secret');
  }
}

function baseOf(url: string | URL): string {
  const text = String(url);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new TypeError(`Switchboard: the url is http:// or https:// and a host, not "${text}"`);
  }
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}
