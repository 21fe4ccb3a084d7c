import { mediaKind } from '../../lib/http/media-kind.ts';
import {
  integerMember,
  listMember,
  member,
  numberMember,
  textMember,
} from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type InboundEvent, type Party, ignored } from '../inbound.ts';
import { type Range, fromStyled } from './text.ts';

/*
 * Received envelopes of signal-cli, as its JSON output has them.
 * https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 */

/** Content of a data message that has no event. */
const WITHOUT_EVENT = [
  'reaction',
  'payment',
  'pollVote',
  'pollTerminate',
  'pinMessage',
  'unpinMessage',
  'adminDelete',
] as const;

const MAX_RECEIPTS = 1000;
/** Maximum number of styles, and of mentions, read per message. */
const MAX_RANGES = 500;

/** Parses one event of the stream. `self` is the number of the account. */
export function readSignal(json: unknown, self: string): readonly InboundEvent[] {
  const envelope = member(json, 'envelope');
  const account = textMember(json, 'account');
  if (account !== undefined && account !== self && self.startsWith('+')) {
    return ignored('receive', 'elsewhere');
  }
  const from = partyOf(envelope);
  const at = numberMember(envelope, 'timestamp');
  if (!from || at === undefined) return ignored('receive', 'incomplete');
  const context = { from, at, self };
  const data = member(envelope, 'dataMessage');
  if (data) return readData(data, context);
  const edit = member(envelope, 'editMessage');
  if (edit)
    return readData(
      member(edit, 'dataMessage'),
      context,
      integerMember(edit, 'targetSentTimestamp'),
    );
  const receipt = member(envelope, 'receiptMessage');
  if (receipt) return readReceipt(receipt);
  if (member(envelope, 'syncMessage')) return ignored('syncMessage', 'own');
  const other = ['typingMessage', 'callMessage', 'storyMessage'].find((name) =>
    member(envelope, name),
  );
  if (other !== undefined) return ignored(other, 'no_event');
  if (member(json, 'exception') === undefined) return ignored('receive', 'no_content');
  const key = `${at}:${from.id}`;
  return [{ what: 'unreadable', key, at, reason: 'unsupported', sender: from.id }];
}

interface EnvelopeContext {
  from: Party;
  at: number;
  self: string;
}

/** People with a hidden number have only a UUID. */
function partyOf(envelope: unknown): Party | undefined {
  const [number, uuid] = [textMember(envelope, 'sourceNumber'), textMember(envelope, 'sourceUuid')];
  const id = number ?? uuid;
  if (!id) return undefined;
  const name = textMember(envelope, 'sourceName') || undefined;
  const otherAddresses = number !== undefined && uuid !== undefined ? [uuid] : [];
  return { id, otherAddresses, ...omitUndefined({ name }) };
}

function readData(
  data: unknown,
  { from, at, self }: EnvelopeContext,
  target?: string,
): readonly InboundEvent[] {
  const sentAt = integerMember(data, 'timestamp');
  if (sentAt === undefined) return ignored('dataMessage', 'incomplete');
  const room = textMember(data, 'groupInfo', 'groupId');
  const name = textMember(data, 'groupInfo', 'groupName') || undefined;
  const group =
    room === undefined ? undefined : { id: `group:${room}`, ...omitUndefined({ name }) };
  const key = `${sentAt}:${from.id}`;
  const common = { key, at, from, ...omitUndefined({ group }) };
  const deleted = integerMember(data, 'remoteDelete', 'timestamp');
  if (deleted !== undefined) return [{ ...common, what: 'deletion', id: `${deleted}:${from.id}` }];
  const other = WITHOUT_EVENT.find((one) => member(data, one));
  if (other !== undefined) return ignored(other, 'no_event');
  const text = textMember(data, 'message') ?? '';
  const media = mediaOf(data, group?.id ?? from.id);
  if (text === '' && media.length === 0) return emptyData(data);
  return [
    {
      ...common,
      what: target === undefined ? 'message' : 'edit',
      id: `${target ?? sentAt}:${from.id}`,
      ...(text !== '' && fromStyled(text, stylesOf(data), mentionsOf(data))),
      ...(media.length > 0 && { media }),
      ...omitUndefined({ replyTo: quotedOf(data, self) }),
    },
  ];
}

/** A message without text and files. */
function emptyData(data: unknown): readonly InboundEvent[] {
  if (member(data, 'isExpirationUpdate') === true) return ignored('expirationUpdate', 'no_change');
  if (textMember(data, 'groupInfo', 'type') === 'UPDATE')
    return ignored('groupUpdate', 'no_change');
  const what = ['sticker', 'contacts', 'pollCreate', 'attachments'].find((one) =>
    member(data, one),
  );
  return ignored(what ?? 'dataMessage', 'no_content');
}

/** A file that the daemon did not download has no id. */
function mediaOf(data: unknown, sender: string) {
  return listMember(data, 'attachments').flatMap((file) => {
    const id = textMember(file, 'id');
    if (id === undefined || /\s/.test(id)) return [];
    const mediaType = textMember(file, 'contentType');
    const more = {
      mediaType,
      name: textMember(file, 'filename'),
      caption: textMember(file, 'caption'),
    };
    return [{ type: mediaKind(mediaType), reference: `${id} ${sender}`, ...omitUndefined(more) }];
  });
}

function rangeOf(json: unknown): Range | undefined {
  const [start, length] = [numberMember(json, 'start'), numberMember(json, 'length')];
  return start === undefined || length === undefined || start < 0 || length < 1
    ? undefined
    : { start, length };
}

const stylesOf = (data: unknown) =>
  listMember(data, 'textStyles')
    .slice(0, MAX_RANGES)
    .flatMap((one) => {
      const [range, style] = [rangeOf(one), textMember(one, 'style')];
      return range && style !== undefined ? [{ ...range, style }] : [];
    });

const mentionsOf = (data: unknown) =>
  listMember(data, 'mentions')
    .slice(0, MAX_RANGES)
    .flatMap((one) => {
      const [range, name] = [rangeOf(one), textMember(one, 'number') ?? textMember(one, 'uuid')];
      return range && name !== undefined ? [{ ...range, name }] : [];
    });

/** Our own messages have ids without an author. */
function quotedOf(data: unknown, self: string): string | undefined {
  const id = integerMember(data, 'quote', 'id');
  const author =
    textMember(data, 'quote', 'authorNumber') ?? textMember(data, 'quote', 'authorUuid');
  if (id === undefined || author === undefined) return undefined;
  return author === self ? id : `${id}:${author}`;
}

function readReceipt(receipt: unknown): readonly InboundEvent[] {
  const isSeen = member(receipt, 'isRead') === true || member(receipt, 'isViewed') === true;
  const state = isSeen ? 'read' : 'delivered';
  const times = listMember(receipt, 'timestamps').slice(0, MAX_RECEIPTS);
  const receipts = times.flatMap((time) =>
    Number.isSafeInteger(time)
      ? [{ what: 'receipt' as const, id: String(time), state } as const]
      : [],
  );
  return receipts.length > 0 ? receipts : ignored('receiptMessage', 'incomplete');
}
