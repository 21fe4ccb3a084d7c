import type { RichText } from '../../lib/rich-text/rich-text.ts';
import { repeat } from '../../lib/runtime/repeat.ts';
import { cut } from '../../lib/text/split.ts';
import type { Credentials } from '../../model/integration.ts';
import {
  type Channel,
  type Closable,
  type Context,
  type Failure,
  isFailure,
  matching,
} from '../channel.ts';
import { SERVER_ADDRESS } from '../credential-formats.ts';
import type { ListenContext } from '../inbound.ts';
import { type IrcLine, foldName } from './line.ts';
import { IrcFault, type IrcLogin, IrcSession, NICK_TAKEN } from './session.ts';

/*
 * IRC. https://modern.ircdocs.horse/#privmsg-message
 * A line has up to 512 bytes, including its end and the prefix that the server adds, `:nick!user@host PRIVMSG
 * #channel :`, of up to 160 bytes; servers truncate longer lines. Addresses: a single nick or #channel; a target that
 * starts with $ would reach everybody on a server.
 * Rate: a line every two seconds, with some burst. https://www.rfc-editor.org/rfc/rfc1459#section-8.10
 */
export const irc: Channel = {
  name: 'irc',
  title: 'IRC',
  category: 'team-chat',
  summary: 'Messages to channels and people on any IRC network.',
  keywords: ['libera', 'freenode', 'community'],
  docs: 'https://modern.ircdocs.horse/#privmsg-message',
  credentials: [
    {
      name: 'address',
      label: 'Server',
      help: 'host:port, followed by +tls for TLS, such as irc.libera.chat:6697+tls. See the website of the network.',
      secret: false,
      format: SERVER_ADDRESS,
    },
    {
      name: 'username',
      label: 'Nick',
      help: 'The nick to send as. With a password, it is also the account name.',
      secret: false,
    },
    {
      name: 'token',
      label: 'Password',
      help: 'The password of your NickServ account or of the server. Leave it empty if neither requires one.',
      secret: true,
    },
    {
      name: 'consumer_key',
      label: 'Channels to listen in',
      help: 'Such as #one,#two. The application receives messages from these channels, and messages to the nick in any case.',
      secret: false,
    },
  ],
  needs: [['username', 'address']],
  recipient: {
    format: 'a nick or a #channel',
    example: '#switchboard',
    validate: matching(
      /^[^\s,:$\p{Cc}][^\s,\p{Cc}]{0,199}$/u,
      'must be one nick or #channel, without spaces or commas',
    ),
    consentAddress: (id) => ({ family: 'irc', address: foldName(id) }),
  },
  limits: [
    {
      what: '512 bytes per line, about 350 of them text; longer text is sent as several lines',
      link: 'https://www.rfc-editor.org/rfc/rfc2812#section-2.3',
    },
  ],
  text: {
    max: 350,
    unit: 'bytes',
    measure: (text) => Buffer.byteLength(text),
    byLine: true,
    write: withCodes,
  },
  renderers: {
    text: ({ text }) => ({ call: 'PRIVMSG', body: { text } }),
    options: (request, { options: { notice } }) =>
      notice === true ? { ...request, call: 'NOTICE' } : request,
  },
  options: [
    {
      name: 'notice',
      label: 'Notice',
      help: 'Marks a text as an automatic message: other bots do not respond to it, and the server reports no errors about it. False by default.',
      rule: { type: 'boolean' },
      link: 'https://www.rfc-editor.org/rfc/rfc2812#section-3.3.2',
    },
  ],
  pace: { integration: { count: 1, seconds: 2, burst: 4 } },
  // Responses on a connection are matched to commands by order.
  concurrency: 1,
  async send({ call = 'PRIVMSG', body }, { recipient }, context) {
    const line = plainLine(String(body['text']));
    const command = `${call} ${recipient} :${line}`;
    if (line.trim() === '') return refuse('content', 'the message has no text');
    // With its end, a line has 512 bytes; ngircd closes the connection after a longer one.
    if (Buffer.byteLength(command) > 510)
      return refuse('recipient', 'the recipient name is too long for one line');
    return withLink(context, async (session) => {
      if (isChannel(recipient) && !session.hasJoined(recipient)) {
        const refusal = await join(session, recipient, context.signal);
        if (refusal) return refusal;
      }
      const answer = await session.command(command, context.signal);
      const error = errorAbout(recipient, answer);
      if (!error) return { outcome: 'sent' };
      // Kicked while sending; the next attempt joins again.
      if (isChannel(recipient) && !session.hasJoined(recipient)) {
        return { outcome: 'transient', maybeSent: false, detail: error.detail };
      }
      return error;
    });
  },
  checksSession: true,
  checkLogsIn: true,
  async check(context) {
    return withLink(context, (session, isNew, link) => {
      // The check is the only user of this connection.
      if (isNew) link.hangUp();
      return Promise.resolve({ outcome: 'known' as const, as: session.nick });
    });
  },
  async listen(context) {
    const opened = await withLink(context, async (session, _, link) =>
      Promise.resolve({ session, link }),
    );
    if (isFailure(opened)) return opened;
    context.connected();
    const { session, link } = opened;
    const leave = () => link.leave();
    if (context.signal.aborted) leave();
    context.signal.addEventListener('abort', leave);
    const enter = async () => enterChannels(session, context);
    const rejoining = repeat(enter, REJOIN_DELAY_MS, context.clock);
    try {
      await session.received.drain((received) => context.emit(received), session.ended);
      return await session.ended;
    } catch (error) {
      if (error instanceof IrcFault) return outcomeOf(error);
      throw error;
    } finally {
      rejoining.end();
      context.signal.removeEventListener('abort', leave);
    }
  },
};

function refuse(blame: 'credentials' | 'recipient' | 'content', detail: string): Failure {
  return { outcome: 'permanent', blame, detail };
}

function isChannel(recipient: string): boolean {
  return /^[#&+!]/.test(recipient);
}

/** https://modern.ircdocs.horse/formatting */
const CODES = { bold: '\u0002', italic: '\u001d', strike: '\u001e', code: '\u0011' } as const;
/** Formatting codes already in a text, and other control characters. */
const ANY_CODE = /[^\P{Cc}\t\n\r]/gu;
/** In bytes. A longer address leaves no room for its link text. */
const MAX_LINK_BYTES = 250;

function withCodes(rich: RichText): string {
  return rich
    .map(({ text, look }, i) => {
      const codes = (['bold', 'italic', 'strike', 'code'] as const)
        .filter((name) => look[name] ?? (name === 'code' && look.block))
        .map((name) => CODES[name])
        .join('');
      const isEnd = look.link !== undefined && rich[i + 1]?.look.link !== look.link;
      const linkSuffix = isEnd && text !== look.link ? ` (${shortened(look.link)})` : '';
      return `${codes}${text.replaceAll(ANY_CODE, '')}${codes}${linkSuffix}`;
    })
    .join('');
}

function shortened(link = ''): string {
  const limit = { max: MAX_LINK_BYTES, measure: (text: string) => Buffer.byteLength(text) };
  const beginning = link === '' ? '' : cut(link, limit);
  return beginning === link ? link : `${beginning}…`;
}

/** Removes characters that would end the line or make it a CTCP command. */
function plainLine(text: string): string {
  return text.replaceAll('\u0001', '').replaceAll(/[\r\n\0]+/g, ' ');
}

const CHANNEL = /^[#&+!][^\s,:$\p{Cc}]+$/u;
/** Six of them fit into one line. */
const MAX_LISTED_NAME_BYTES = 64;
const CHANNELS_PER_LINE = 6;
/** After a channel refused or kicked us. */
const REJOIN_DELAY_MS = 5 * 60_000;

interface ConnectionSettings {
  host: string;
  port: number;
  tls: boolean;
  login: IrcLogin;
  /** The channels to join even without messages to send. */
  channels: readonly string[];
}

/** Parses the credentials; returns the problem if they are invalid. */
function readSettings(credentials: Credentials): ConnectionSettings | string {
  const { address = '', username = '', token, consumer_key: listed = '' } = credentials;
  const [, host, port, secure] =
    /^(\[[0-9A-Fa-f:.]{2,45}\]|[^\s:/[\]+]{1,253})(?::(\d{1,5}))?(\+tls)?$/.exec(address) ?? [];
  if (!host || Number(port) > 65_535)
    return 'address must be host:port, optionally followed by +tls';
  if (!/^[^\s\p{Cc}:,$#&+!@*?.\d-][^\s\p{Cc},!@*?.]{0,63}$/u.test(username)) {
    return 'username must be a nick: no spaces, and no digit or channel prefix at the beginning';
  }
  if (token !== undefined && /\p{Cc}/u.test(token)) return 'token must be a single line';
  const channels = listed.split(/[\s,]+/).filter((name) => name !== '');
  if (
    !channels.every(
      (name) => CHANNEL.test(name) && Buffer.byteLength(name) <= MAX_LISTED_NAME_BYTES,
    )
  ) {
    return 'consumer_key must be channel names, such as #one,#two';
  }
  const tls = secure !== undefined;
  return {
    host: host.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port) || (tls ? 6697 : 6667),
    tls,
    login: { nick: username, ...(token && { password: token }) },
    channels,
  };
}

/** The connection of an integration: opened when needed, and reopened after it ends. */
class Link implements Closable {
  #session: IrcSession | undefined;
  #tasks: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Runs tasks one at a time over an open session. */
  run<Result>(
    settings: ConnectionSettings,
    context: Context,
    work: (session: IrcSession, isNew: boolean) => Promise<Result>,
  ): Promise<Result> {
    const result = this.#tasks.then(async () => {
      const isNew = !this.#session?.open;
      if (isNew) this.#session = await connect(settings, context);
      if (this.#closed) this.hangUp();
      if (!this.#session) throw new Error('no session');
      return work(this.#session, isNew);
    });
    this.#tasks = result.catch(() => {});
    return result;
  }

  /** Disconnects after all pending tasks. */
  leave(): void {
    this.#tasks = this.#tasks.then(() => this.hangUp());
  }

  hangUp(): void {
    this.#session?.quit();
  }

  close(): void {
    this.#closed = true;
    this.hangUp();
  }
}

async function connect(
  { host, port, tls, login }: ConnectionSettings,
  context: Context,
): Promise<IrcSession> {
  const socket = await context.dial(host, port, { tls });
  return IrcSession.open(socket, login, context.signal);
}

async function withLink<Result>(
  context: Context,
  work: (session: IrcSession, isNew: boolean, link: Link) => Promise<Result>,
): Promise<Result | Failure> {
  const settings = readSettings(context.credentials);
  if (typeof settings === 'string') return refuse('credentials', settings);
  const link = context.resource(() => new Link());
  try {
    return await link.run(settings, context, (session, isNew) => work(session, isNew, link));
  } catch (error) {
    if (error instanceof IrcFault) return outcomeOf(error);
    throw error;
  }
}

async function join(
  session: IrcSession,
  channel: string,
  signal: AbortSignal,
): Promise<Failure | undefined> {
  try {
    const answer = await session.command(`JOIN ${channel}`, signal);
    const refusal = errorAbout(channel, answer);
    // Without a refusal, we send anyway: some channels accept messages from non-members.
    return session.hasJoined(channel) ? undefined : refusal;
  } catch (error) {
    // Nothing was sent yet.
    throw error instanceof IrcFault ? new IrcFault(error.message, error.code, false) : error;
  }
}

/** Joins between sends, one line at a time. Channels that refuse us are not followed. */
async function enterChannels(session: IrcSession, context: ListenContext): Promise<void> {
  const settings = readSettings(context.credentials);
  if (typeof settings === 'string') return;
  for (let i = 0; i < settings.channels.length; i += CHANNELS_PER_LINE) {
    const names = settings.channels.slice(i, i + CHANNELS_PER_LINE);
    if (!session.open) return;
    await withLink(context, async (current) => {
      const missing = names.filter((name) => !current.hasJoined(name));
      if (current !== session || missing.length === 0) return;
      await current.command(`JOIN ${missing.join(',')}`, context.signal);
    });
  }
}

/** Temporary refusals: server load, and changing targets too fast. https://modern.ircdocs.horse/#numerics */
const LIMITS = new Set(['263', '439', '707']);
const CONTENT = new Set(['408', '411', '412', '417']);
/** 437: the channel is temporarily unavailable. */
const LATER = '437';
/** 716: the recipient accepts messages from friends only. */
const FRIENDS_ONLY = '716';

/** The server's error about a target, if there is one. */
function errorAbout(target: string, answer: readonly IrcLine[]): Failure | undefined {
  const error = answer.find(
    ({ command, params }) =>
      (/^[45]\d\d$/.test(command) || LIMITS.has(command) || command === FRIENDS_ONLY) &&
      (LIMITS.has(command) || params.some((each) => foldName(each) === foldName(target))),
  );
  if (!error) return undefined;
  const { command: code, params } = error;
  const detail = params.at(-1) ?? '';
  if (LIMITS.has(code)) {
    const seconds = Number(/(\d{1,4}) sec/.exec(detail)?.[1] ?? 0);
    return {
      outcome: 'limited',
      scope: 'integration',
      ...(seconds > 0 && { seconds }),
      detail,
      code,
    };
  }
  if (code === LATER) return { outcome: 'transient', maybeSent: false, detail, code };
  const blame = CONTENT.has(code) ? 'content' : 'recipient';
  return { outcome: 'permanent', blame, detail, code };
}

const TOO_FAST = /thrott|flood|too (?:fast|quick|many|often)|reconnect/i;
const UNWELCOME = /\b[DGKZ]-?lin|\bbann?ed|password|access denied|not authori[sz]ed/i;

/** Classifies a refused or closed connection. */
function outcomeOf({ message, code, maybeSent }: IrcFault): Failure {
  const reason = { detail: message, ...(code !== undefined && { code }) };
  // No nick available, or no reason given: a later attempt may succeed.
  if (code === undefined || NICK_TAKEN.has(code))
    return { outcome: 'transient', maybeSent, ...reason };
  if (code === 'ERROR') {
    if (UNWELCOME.test(message)) return { outcome: 'permanent', blame: 'credentials', ...reason };
    // After flooding, part of the message may have been delivered.
    if (TOO_FAST.test(message) && !maybeSent) {
      return { outcome: 'limited', scope: 'integration', ...reason };
    }
    return { outcome: 'transient', maybeSent, ...reason };
  }
  return { outcome: 'permanent', blame: 'credentials', ...reason };
}
