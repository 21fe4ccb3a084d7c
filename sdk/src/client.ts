import type { Event, SignIn } from './api.ts';
import { type FeedOptions, type HistoryFilter, readFeed } from './feed.ts';
import { type List, listOf } from './list.ts';
import { type RealtimeOptions, type WebSocketClass, readRealtime } from './realtime.ts';
import { Applications } from './resources/applications.ts';
import { Audit } from './resources/audit.ts';
import { Channels } from './resources/channels.ts';
import { Consents } from './resources/consents.ts';
import { Contacts } from './resources/contacts.ts';
import { Conversations } from './resources/conversations.ts';
import { Integrations } from './resources/integrations.ts';
import { Invitations } from './resources/invitations.ts';
import { Jobs } from './resources/jobs.ts';
import { Keys } from './resources/keys.ts';
import { Messages } from './resources/messages.ts';
import { Pools } from './resources/pools.ts';
import { Sandboxes } from './resources/sandbox.ts';
import { Statistics } from './resources/statistics.ts';
import { Teams } from './resources/teams.ts';
import { Templates } from './resources/templates.ts';
import { Tokens } from './resources/tokens.ts';
import { Users } from './resources/users.ts';
import { Webhooks } from './resources/webhooks.ts';
import { type Key, type Token, tokenSource } from './token.ts';
import {
  type Answer,
  type CallOptions,
  type CallInput,
  type OperationName,
  Transport,
} from './transport.ts';

export interface SwitchboardOptions {
  /** The address of the service, such as `https://messages.example.com`. */
  url: string | URL;
  /** A user token or an application token, or a function that returns one. */
  token?: Token;
  /** Instead of a token: a key with which the client signs short-lived tokens. Not for browsers. */
  key?: Key;
  /** With a user token or key: the id of the application to act for. */
  application?: number;
  /** Timeout of one attempt, in milliseconds. Default: 30,000. */
  timeout?: number;
  /** Maximum number of retries. Calls are retried only if that is safe. Default: 3. */
  retries?: number;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch;
  /** Replaces the runtime's `WebSocket`. */
  WebSocket?: WebSocketClass;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 3;

/**
 * The client for a Switchboard service.
 *
 * ```ts
 * const client = new Switchboard({ url: 'https://messages.example.com', token });
 * await client.messages.send({ to: '123456789', via: 'telegram', text: 'Hello' });
 * ```
 *
 * Messages, integrations and events need an application token; applications, users, keys and webhooks need a user
 * token. A call that fails rejects with a {@link SwitchboardError}.
 */
export class Switchboard {
  /** Send messages and read their states. */
  readonly messages: Messages;
  /** An alias of `messages`, after the path of the API: `client.message.send(…)`. */
  readonly message: Messages;
  /** Bulk resends. */
  readonly jobs: Jobs;
  /** Channel credentials. */
  readonly integrations: Integrations;
  /** Consents: whether an address accepts messages. */
  readonly consents: Consents;
  readonly pools: Pools;
  /** People, with their addresses on all channels. */
  readonly contacts: Contacts;
  /** Messages with a person or group, in both directions. */
  readonly conversations: Conversations;
  readonly templates: Templates;
  /** Simulated vendors: phones, answers and faults. */
  readonly sandbox: Sandboxes;
  /** The available channels. */
  readonly channels: Channels;
  readonly applications: Applications;
  readonly users: Users;
  readonly teams: Teams;
  /** Links that let people join the team. */
  readonly invitations: Invitations;
  /** The audit log of the team. */
  readonly audit: Audit;
  /** Keys with which applications sign tokens. */
  readonly applicationKeys: Keys;
  /** Keys with which users sign tokens. */
  readonly userKeys: Keys;
  readonly tokens: Tokens;
  /** The webhooks of applications, and their deliveries. */
  readonly webhooks: Webhooks;
  /** Message statistics, and an overview of current problems. */
  readonly statistics: Statistics;
  readonly #options: SwitchboardOptions;
  readonly #transport: Transport;
  readonly #Socket: WebSocketClass | undefined;

  constructor(options: SwitchboardOptions) {
    const {
      token,
      key,
      application,
      timeout = DEFAULT_TIMEOUT_MS,
      retries = DEFAULT_RETRIES,
    } = options;
    checkCredentials(token, key);
    const transport = new Transport({
      url: baseOf(options.url),
      token: tokenSource(token, key),
      application,
      // A browser's fetch throws if it is called as a method of another object.
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
    this.consents = new Consents(transport);
    this.pools = new Pools(transport);
    this.contacts = new Contacts(transport);
    this.conversations = new Conversations(transport);
    this.templates = new Templates(transport);
    this.sandbox = new Sandboxes(transport);
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

  /** Signs in with email and password, or with the code of a one-time link, and returns a client for that user. */
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

  /** Returns a client with which a user acts for an application of the team: messages, integrations and events. */
  actFor(applicationId: number): Switchboard {
    return new Switchboard({ ...this.#options, application: applicationId });
  }

  /**
   * Yields the application's events in order: first those after `after`, then new ones as they happen, until you stop.
   * Store the id of the last event you processed, and pass it as `after` to continue.
   *
   * ```ts
   * for await (const event of client.events({ after })) {
   *   if (event.type === 'message.received') console.log(event.data.object.content);
   * }
   * ```
   *
   * It uses long polling, and continues where it stopped if the service was unreachable.
   */
  events(options: FeedOptions = {}): AsyncGenerator<Event, void, undefined> {
    return readFeed(this.#transport, options);
  }

  /**
   * Yields the same events over a WebSocket, with less delay; without `after`, only new ones. If the connection is lost,
   * it continues where it stopped: no event is lost or repeated. If WebSockets are unavailable or blocked, it uses long
   * polling.
   */
  realtime(options: RealtimeOptions = {}): AsyncGenerator<Event, void, undefined> {
    return readRealtime(this.#transport, this.#Socket, options);
  }

  /** Lists past events, newest first; with `after`, those that followed an event, oldest first. */
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

  /** Downloads a received file, by the `url` of its attachment. */
  download(url: string, options?: CallOptions): Promise<Response> {
    const [, id, number] = /\/1\/events\/(\d+)\/media\/(\d+)(?:\?|$)/.exec(url) ?? [];
    if (id === undefined || number === undefined) {
      throw new TypeError(`download: ${url} is not the URL of a received file`);
    }
    const path = { id: Number(id), number: Number(number) };
    return this.#transport.file('GET /1/events/{id}/media/{number}', { path }, options);
  }

  /** Makes any call of the API; `/docs/reference` of the service lists them. */
  call<Name extends OperationName>(
    name: Name,
    given: CallInput<Name>,
    options?: CallOptions,
  ): Promise<Answer<Name>> {
    return this.#transport.any(name, given, options);
  }
}

function checkCredentials(token: Token | undefined, key: Key | undefined): void {
  if (token !== undefined && key !== undefined) {
    throw new TypeError('Switchboard: pass a token or a key, not both');
  }
  if (typeof token === 'string' && token.trim() === '') {
    throw new TypeError('Switchboard: the token is empty; is its environment variable set?');
  }
  if (key && (String(key.id) === '' || key.secret === '')) {
    throw new TypeError('Switchboard: a key needs an id and a secret');
  }
}

function baseOf(url: string | URL): string {
  const text = String(url);
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw new TypeError(`Switchboard: the url must start with http:// or https://, not "${text}"`);
  }
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, '');
}
