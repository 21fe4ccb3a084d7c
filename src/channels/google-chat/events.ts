import { mediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { jsonText } from '../../lib/json/json-text.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';

/*
 * Parses Google Chat events. https://developers.google.com/workspace/chat/interaction-events
 * Events have no ids: subject and time identify them. A Workspace add-on receives the same events without a type:
 * https://developers.google.com/workspace/add-ons/chat/build
 */

/** Parses an event; undefined when it is not one. */
export function readChatEvent(body: unknown) {
  const event = member(body, 'chat') === undefined ? body : fromAddOn(body);
  const type = textMember(event, 'type');
  if (type === undefined) return undefined;
  const origin = conversationOf(event);
  if (!origin) return ignored(type, SUPPORTED_TYPES.has(type) ? 'incomplete' : 'no_event');
  if (type === 'MESSAGE') return messageEvent(origin, member(event, 'message'));
  if (type === 'CARD_CLICKED') return pressEvent(origin, event);
  if (type === 'ADDED_TO_SPACE') {
    // Mentioning the app in a space adds it and sends it a message at once.
    const joined = membershipEvent('join', origin, event);
    const message = member(event, 'message');
    if (message === undefined) return joined;
    return origin.parties.group
      ? messageEvent(origin, message)
      : [...joined, ...messageEvent(origin, message)];
  }
  return type === 'REMOVED_FROM_SPACE'
    ? membershipEvent('leave', origin, event)
    : ignored(type, 'no_event');
}

/** The payload of each kind of add-on event. A command is a message in the place where it was written. */
const PAYLOADS = [
  ['messagePayload', 'MESSAGE'],
  ['appCommandPayload', 'MESSAGE'],
  ['buttonClickedPayload', 'CARD_CLICKED'],
  ['addedToSpacePayload', 'ADDED_TO_SPACE'],
  ['removedFromSpacePayload', 'REMOVED_FROM_SPACE'],
] as const;

/** Converts an add-on event to an interaction event. */
function fromAddOn(body: unknown) {
  const chat = member(body, 'chat');
  const [name, type] = PAYLOADS.find(([each]) => member(chat, each) !== undefined) ?? [];
  return {
    type: type ?? Object.keys(chat ?? {}).find((key) => key.endsWith('Payload')) ?? 'UNKNOWN',
    eventTime: member(chat, 'eventTime'),
    user: member(chat, 'user'),
    space: name && member(chat, name, 'space'),
    message: name && member(chat, name, 'message'),
    common: member(body, 'commonEventObject'),
  };
}

const SUPPORTED_TYPES = new Set([
  'MESSAGE',
  'CARD_CLICKED',
  'ADDED_TO_SPACE',
  'REMOVED_FROM_SPACE',
]);

interface EventOrigin {
  /** Only spaces can be sent to. */
  parties: {
    from: { id: string; name?: string };
    answerTo: string;
    group?: { id: string; name?: string };
  };
  at: number | undefined;
}

function conversationOf(event: unknown): EventOrigin | undefined {
  const space = member(event, 'space') ?? member(event, 'message', 'space');
  const [answerTo, id] = [textMember(space, 'name'), textMember(event, 'user', 'name')];
  if (answerTo === undefined || id === undefined) return undefined;
  const from = { id, ...omitUndefined({ name: textMember(event, 'user', 'displayName') }) };
  const group = {
    id: answerTo,
    ...omitUndefined({ name: textMember(space, 'displayName') || undefined }),
  };
  const parties = { from, answerTo, ...(!isDirect(space) && { group }) };
  return { parties, at: momentOf(event) };
}

function isDirect(space: unknown): boolean {
  return textMember(space, 'type') === 'DM' || textMember(space, 'spaceType') === 'DIRECT_MESSAGE';
}

/** In RFC 3339, or in seconds and nanoseconds. */
function momentOf(event: unknown): number | undefined {
  const time = textMember(event, 'eventTime');
  const seconds = numberMember(event, 'eventTime', 'seconds');
  const at = time === undefined ? (seconds ?? Number.NaN) * 1000 : Date.parse(time);
  return Number.isNaN(at) ? undefined : at;
}

function messageEvent({ parties, at }: EventOrigin, message: unknown) {
  const name = textMember(message, 'name');
  if (name === undefined) return ignored('MESSAGE', 'incomplete');
  if (textMember(message, 'sender', 'type') === 'BOT') return ignored('MESSAGE', 'bot');
  const text = textIn(message);
  const media = filesIn(message);
  if (text === undefined && media.length === 0) return ignored('MESSAGE', 'no_content');
  const thread = textMember(message, 'thread', 'name');
  const replyTo = textMember(message, 'quotedMessageMetadata', 'name');
  return [
    {
      what: 'message' as const,
      key: `message:${name}`,
      ...parties,
      id: idOf(name, thread),
      ...omitUndefined({
        at,
        text,
        media: media.length > 0 ? media : undefined,
        replyTo,
        // Direct messages show no threads.
        thread: parties.group && thread,
      }),
    },
  ];
}

/** With its thread after a colon, like the ids of sent messages. */
const idOf = (name: string, thread: string | undefined) =>
  thread === undefined ? name : `${name}:${thread}`;

/** Without the mention of the app; a command stays part of the text. */
function textIn(message: unknown): string | undefined {
  const whole = textMember(message, 'text');
  const isCommand = member(message, 'slashCommand') !== undefined;
  const text = isCommand ? whole : (textMember(message, 'argumentText') ?? whole);
  return text?.trim() || undefined;
}

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages.attachments */
function filesIn(message: unknown) {
  return listMember(message, 'attachment').flatMap((file) => {
    // Apps cannot fetch files in Drive.
    const reference = textMember(file, 'attachmentDataRef', 'resourceName');
    if (reference === undefined) return [];
    const [mediaType, name] = [textMember(file, 'contentType'), textMember(file, 'contentName')];
    return [{ type: mediaKind(mediaType), reference, ...omitUndefined({ mediaType, name }) }];
  });
}

function pressEvent({ parties, at }: EventOrigin, event: unknown) {
  const message = member(event, 'message');
  const parameter = (key: string) =>
    textMember(
      listMember(event, 'action', 'parameters').find((each) => textMember(each, 'key') === key),
      'value',
    ) ?? textMember(event, 'common', 'parameters', key);
  const name = parameter('name') ?? textMember(event, 'action', 'actionMethodName');
  if (name === undefined) return ignored('CARD_CLICKED', 'no_content');
  const button = { name, value: parameter('value') ?? name };
  const messageName = textMember(message, 'name');
  const thread = textMember(message, 'thread', 'name');
  const key = ['click', parties.from.id, messageName, writtenTime(event)].join(':');
  const replyTo = messageName === undefined ? undefined : idOf(messageName, thread);
  const more = omitUndefined({ at, replyTo, thread: parties.group && thread });
  return [{ what: 'message' as const, key, ...parties, button, ...more }];
}

/** In a direct message, a user starts or ends the conversation; elsewhere, the app joins or leaves. */
function membershipEvent(what: 'join' | 'leave', { parties, at }: EventOrigin, event: unknown) {
  if (parties.group) {
    return ignored(what === 'join' ? 'ADDED_TO_SPACE' : 'REMOVED_FROM_SPACE', 'no_event');
  }
  const key = [what, parties.answerTo, writtenTime(event)].join(':');
  return [{ what, key, ...parties, ...omitUndefined({ at }) }];
}

/** In full precision: two presses may happen in one second. */
const writtenTime = (event: unknown) => jsonText(member(event, 'eventTime') ?? '');
