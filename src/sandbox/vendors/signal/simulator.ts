import { mediaKind } from '../../../lib/http/media-kind.ts';
import { listMember, numberMember, textMember } from '../../../lib/json/json-member.ts';
import type { Look, Run } from '../../../lib/rich-text/rich-text.ts';
import type { Phone } from '../../phone.ts';
import { type ShownContent, type ShownMedia, shownText } from '../../shown.ts';
import type { Simulator } from '../../simulator.ts';
import type { Reply } from '../../wire/request.ts';
import { ACCOUNT, timeOf } from './account.ts';
import {
  type Call,
  DATA_URI,
  STYLE,
  addressIn,
  readCall,
  refusedAs,
  result,
  resultAs,
  rpcError,
} from './calls.ts';
import { envelopeOf, serveEvents, writeEnvelope } from './events.ts';

/* signal-cli's HTTP daemon: calls over HTTP, and what it receives as a stream of events. */

/** Added to the time of an edited message for each version: the result is later than any message, so it is unique. */
export const VERSION_MS = 10_000_000_000;

export const signal: Simulator = {
  channel: 'signal',
  limits: { none: 'Signal documents no rate' },
  credentials: { address: 'https://sandbox.test', username: ACCOUNT },
  people: [
    { address: '+4915112345678', name: 'Ada Example' },
    { address: '+4915112345679', name: 'Grace Example' },
    {
      address: 'group:exampleGroupIdOfSignalAAAAAAAAAAAAAAAAAAAAA=',
      name: 'Example group',
      isRoom: true,
    },
  ],
  isRoom: (address) => address.startsWith('group:'),
  magicAddress: (number) => `+15005550${number}`,
  // Signal does not tell the sender that they are blocked.
  lacks: ['blocked'],

  recipientOf(request) {
    const call = readCall(request, ACCOUNT);
    const isNew = 'method' in call && numberMember(call.params, 'editTimestamp') === undefined;
    return isNew && call.method === 'send' ? addressIn(call) : undefined;
  },

  async respond(request, phone) {
    const call = readCall(request, ACCOUNT);
    if (!('method' in call)) return call;
    switch (call.method) {
      case 'listAccounts':
        return result([{ number: ACCOUNT }]);
      case 'getAttachment':
        return attachment(textMember(call.params, 'id') ?? '', phone);
      case 'remoteDelete':
        return remove(call, phone);
      default:
        return send(call, phone);
    }
  },

  refusals: {
    blocked: () => refusedAs(-1, 'UNREGISTERED_FAILURE', timeOf(0)),
    unknown: () => refusedAs(-1, 'UNREGISTERED_FAILURE', timeOf(0)),
    limited: (seconds) =>
      refusedAs(-5, 'RATE_LIMIT_FAILURE', timeOf(0), { retryAfterSeconds: seconds }),
    credentials: () => rpcError(-32_602, 'Specified account does not exist'),
  },

  reports: {},
  idOf: (number, { person }) => `${timeOf(number)}:${person.address}`,
  session: {
    reports: ['message'],
    receipts: ['delivered', 'read'],
    serve(socket, session) {
      serveEvents(socket, (stream) =>
        session.follow((report) => writeEnvelope(stream, envelopeOf(report))),
      );
    },
  },
};

async function send(call: Call, phone: Phone): Promise<Reply> {
  const { params } = call;
  const content = await contentOf(params, phone);
  const edited = numberMember(params, 'editTimestamp');
  if (edited === undefined) {
    const shown = await phone.show(addressIn(call), content, (number) => String(timeOf(number)));
    return result({ timestamp: Number(shown.vendorId), results: [resultAs('SUCCESS')] });
  }
  const before = await original(String(edited), phone);
  if (!before || before.author === 'person') return rpcError(-1, 'SIMULATOR: unknown message');
  await phone.edit(before, content);
  // Each version has its own time, and the next edit refers to it.
  const version = edited + VERSION_MS;
  const alias = { id: aliasOf(String(version)), name: before.vendorId, bytes: Buffer.alloc(0) };
  await phone.putFile({ ...alias, mediaType: 'text/plain' });
  return result({ timestamp: version, results: [resultAs('SUCCESS')] });
}

async function remove({ params }: Call, phone: Phone): Promise<Reply> {
  const id = String(numberMember(params, 'targetTimestamp'));
  const before = await original(id, phone);
  if (!before || before.author === 'person') return rpcError(-1, 'SIMULATOR: unknown message');
  await phone.remove(before);
  return result({ timestamp: Number(id) + 1, results: [resultAs('SUCCESS')] });
}

/** Represents a later version of a message; its name is the id of the first. */
const aliasOf = (id: string) => `version-${id}`;

async function original(id: string, phone: Phone) {
  const alias = await phone.file(aliasOf(id));
  return phone.find(alias?.name ?? id);
}

async function attachment(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(id);
  if (!file) return rpcError(-1, `Could not find attachment with ID: ${id}`);
  return result({ data: file.bytes.toString('base64') });
}

async function contentOf(params: Call['params'], phone: Phone): Promise<ShownContent> {
  const media: ShownMedia[] = [];
  for (const uri of listMember(params, 'attachments')) {
    const [, mediaType = '', name, data = ''] = DATA_URI.exec(String(uri)) ?? [];
    const id = phone.newId();
    const shown = name === undefined ? id : decodeURIComponent(name);
    await phone.putFile({ id, name: shown, mediaType, bytes: Buffer.from(data, 'base64') });
    media.push({ type: mediaKind(mediaType), file: id, name: shown, media_type: mediaType });
  }
  const quote = numberMember(params, 'quoteTimestamp');
  const author = textMember(params, 'quoteAuthor');
  return {
    ...shownText(runsOf(textMember(params, 'message') ?? '', listMember(params, 'textStyles'))),
    ...(media.length > 0 && { media }),
    ...(quote !== undefined && {
      reply_to: author === ACCOUNT ? String(quote) : `${quote}:${author}`,
    }),
  };
}

const LOOKS: Readonly<Record<string, Look>> = {
  BOLD: { bold: true },
  ITALIC: { italic: true },
  STRIKETHROUGH: { strike: true },
  MONOSPACE: { code: true },
};

/** Styles are ranges in UTF-16 units, which may overlap. */
function runsOf(text: string, styles: readonly unknown[]): Run[] {
  const ranges = styles.flatMap((style) => {
    const [, start = '', length = '', name = ''] = STYLE.exec(String(style)) ?? [];
    const from = Number(start);
    return [{ from, to: from + Number(length), look: LOOKS[name] ?? {} }];
  });
  const edges = new Set([0, text.length, ...ranges.flatMap(({ from, to }) => [from, to])]);
  const places = [...edges].toSorted((a, b) => a - b);
  return places.slice(0, -1).map((from, i) => ({
    text: text.slice(from, places[i + 1]),
    look: Object.assign(
      {},
      ...ranges.filter((range) => range.from <= from && from < range.to).map(({ look }) => look),
    ) as Look,
  }));
}
