import { mediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { jsonText } from '../../lib/json/json-text.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';

/*
 * Parses Teams webhook requests: one activity each.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object
 * Replies go to a conversation, never to a user: a user id is not an address.
 */

/** Parses an activity; undefined when it is not one. */
export function readActivity(activity: unknown) {
  const type = textMember(activity, 'type');
  const conversation = conversationOf(activity);
  if (type === undefined || !conversation) return undefined;
  const id = textMember(activity, 'id') ?? '';
  const { from } = conversation.common;
  // Messages of bots, including ours, are ignored.
  const isBot = from.id.startsWith('28:') || textMember(activity, 'from', 'role') === 'bot';
  if (isBot && type.startsWith('message')) {
    const isOwn = from.id === textMember(activity, 'recipient', 'id');
    return ignored(type, isOwn ? 'own' : 'bot');
  }
  switch (type) {
    case 'message':
      return messageEvent('message', id, conversation, activity);
    case 'messageUpdate':
      return messageEvent('edit', id, conversation, activity);
    case 'messageDelete':
      if (id === '') return ignored(type, 'incomplete');
      return [
        {
          what: 'deletion' as const,
          ...conversation.common,
          key: `${conversation.key}:deletion:${id}`,
          id,
        },
      ];
    case 'conversationUpdate': {
      const memberEvents = [
        ...members('join', conversation, activity, 'membersAdded'),
        ...members('leave', conversation, activity, 'membersRemoved'),
      ];
      // For example, a team or channel was renamed.
      return memberEvents.length > 0 ? memberEvents : ignored(type, 'no_event');
    }
    case 'event':
      return readReceipt(conversation, activity);
    default:
      return ignored(type, 'no_event');
  }
}

interface Conversation {
  /** The prefix of all keys: ids are unique within a conversation only. */
  key: string;
  moment: string;
  thread: string | undefined;
  common: {
    from: { id: string; name?: string };
    answerTo: string;
    group?: { id: string; name?: string };
    at?: number;
  };
}

function conversationOf(activity: unknown): Conversation | undefined {
  const conversation = textMember(activity, 'conversation', 'id');
  const from = partyOf(member(activity, 'from'));
  if (conversation === undefined || !from) return undefined;
  const kind = textMember(activity, 'conversation', 'conversationType');
  const isGroup = member(activity, 'conversation', 'isGroup') === true || kind === 'channel';
  const [base = '', thread] = conversation.split(';messageid=');
  const name =
    textMember(activity, 'channelData', 'channel', 'name') ??
    textMember(activity, 'conversation', 'name');
  const moment = textMember(activity, 'timestamp') ?? '';
  const at = Date.parse(moment);
  const group =
    isGroup || kind === 'groupChat' ? { id: base, ...omitUndefined({ name }) } : undefined;
  const common = { from, answerTo: conversation, ...omitUndefined({ group }) };
  return {
    key: base,
    moment,
    thread,
    common: Number.isNaN(at) ? common : { ...common, at },
  };
}

function partyOf(account: unknown): { id: string; name?: string } | undefined {
  const id = textMember(account, 'id');
  return id === undefined
    ? undefined
    : { id, ...omitUndefined({ name: textMember(account, 'name') }) };
}

function messageEvent(
  what: 'message' | 'edit',
  id: string,
  conversation: Conversation,
  activity: unknown,
) {
  const { key, moment, thread, common } = conversation;
  const media = listMember(activity, 'attachments').flatMap(mediaOf);
  const text = textOf(activity);
  const value = member(activity, 'value');
  const button = value === undefined || value === null ? undefined : pressOf(value, text);
  if (id === '') return ignored(what, 'incomplete');
  if (media.length === 0 && text === '' && !button) return ignored(what, 'no_content');
  const format = textMember(activity, 'textFormat');
  return [
    {
      what,
      ...common,
      // Each edit has its own time.
      key: what === 'message' ? `${key}:${id}` : `${key}:edit:${id}:${moment}`,
      id,
      ...omitUndefined({
        text: text === '' ? undefined : text,
        mediaType: text === '' ? undefined : MARKUP[format ?? ''],
        media: media.length > 0 ? media : undefined,
        button,
        replyTo: textMember(activity, 'replyToId'),
        thread,
      }),
    },
  ];
}

const MARKUP: Readonly<Record<string, 'text/markdown' | 'text/html' | undefined>> = {
  markdown: 'text/markdown',
  xml: 'text/html',
};

/** A card submits its complete data. Our buttons submit an object with only a value. */
function pressOf(value: unknown, text: string) {
  const isOurs = typeof value === 'object' && Object.keys(value ?? {}).join() === 'value';
  const ourValue = isOurs ? textMember(value, 'value') : undefined;
  const submitted = typeof value === 'string' ? value : (ourValue ?? jsonText(value));
  return { name: text === '' ? submitted : text, value: submitted };
}

/** Without the mention of the bot; other mentions become names. */
function textOf(activity: unknown): string {
  const self = textMember(activity, 'recipient', 'id');
  let text = textMember(activity, 'text') ?? '';
  for (const entity of listMember(activity, 'entities')) {
    const mention = textMember(entity, 'text') ?? '';
    if (textMember(entity, 'type') !== 'mention' || mention === '') continue;
    const isSelf = textMember(entity, 'mentioned', 'id') === self;
    const name = isSelf ? '' : `@${textMember(entity, 'mentioned', 'name') ?? ''}`;
    text = text.replaceAll(mention, () => name);
  }
  return text.trim();
}

const FILE = 'application/vnd.microsoft.teams.file.download.info';

/** An inline image or a file; not the HTML copy of the text, and no cards. */
function mediaOf(attachment: unknown) {
  const mediaType = textMember(attachment, 'contentType') ?? '';
  const name = textMember(attachment, 'name');
  if (mediaType === FILE) {
    const reference = textMember(attachment, 'content', 'downloadUrl');
    if (reference === undefined) return [];
    return [{ type: 'Document' as const, reference, ...omitUndefined({ name }) }];
  }
  const reference = textMember(attachment, 'contentUrl');
  if (reference === undefined || !/^(?:image|video|audio)\//i.test(mediaType)) return [];
  // The exact image type is not always stated.
  const isExact = !mediaType.includes('*');
  return [
    {
      type: mediaKind(mediaType),
      reference,
      ...omitUndefined({ name, mediaType: isExact ? mediaType : undefined }),
    },
  ];
}

/** When the bot itself is added, the event comes from the group, or from the user who started the conversation. */
function members(
  what: 'join' | 'leave',
  { key, moment, common }: Conversation,
  activity: unknown,
  list: string,
) {
  const self = textMember(activity, 'recipient', 'id');
  return listMember(activity, list).flatMap((each) => {
    const party = partyOf(each);
    if (!party) return [];
    const from = party.id === self ? (common.group ?? common.from) : party;
    return [{ what, ...common, from, key: `${key}:${what}:${party.id}:${moment}` }];
  });
}

const READ = 'application/vnd.microsoft.readReceipt';

/** Message ids are the times at which they were sent. */
function readReceipt({ common }: Conversation, activity: unknown) {
  const id = textMember(activity, 'value', 'lastReadMessageId') ?? '';
  const name = textMember(activity, 'name') ?? '';
  if (name !== READ) return ignored(`event ${name}`, 'no_event');
  if (!/^\d{13}$/.test(id)) return ignored(`event ${name}`, 'incomplete');
  return [
    { what: 'receipt' as const, id, state: 'read' as const },
    {
      what: 'receipts' as const,
      recipient: common.answerTo,
      upTo: Number(id),
      state: 'read' as const,
    },
  ];
}
