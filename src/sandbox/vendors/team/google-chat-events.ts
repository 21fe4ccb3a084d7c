import type {
  Actor,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';
import { signedToken } from './fake-key.ts';

/*
 * Google Chat's requests to an app. https://developers.google.com/workspace/chat/interaction-events
 * Chat signs their tokens itself: https://developers.google.com/workspace/chat/verify-requests-from-chat
 */
export const PROJECT = '1234567890';
export const KEY_ID = 'fake-key-1';
const CHAT = 'chat@system.gserviceaccount.com';

export const chatEvents: Reports = {
  message(written, context) {
    const space = spaceOf(written);
    const { name, thread } = namesOf(written, context);
    const { replyTo } = written;
    const message = {
      name,
      sender: userOf(written),
      createTime: timeOf(context),
      thread: { name: thread },
      space,
      ...contentOf(written),
      ...(replyTo && { quotedMessageMetadata: { name: replyTo.vendorId.split(':')[0] } }),
    };
    return { ...event('MESSAGE', written, { message }, context), id: `${name}:${thread}` };
  },

  press({ message, button: { label, value = label }, ...actor }, context) {
    const [name, thread] = message.vendorId.split(':');
    const parameters = [
      { key: 'name', value: label },
      { key: 'value', value },
    ];
    const clicked = {
      message: { name, thread: { name: thread }, space: spaceOf(actor) },
      action: { actionMethodName: 'reply', parameters },
      common: { invokedFunction: 'reply', parameters: { name: label, value } },
    };
    return event('CARD_CLICKED', actor, clicked, context);
  },

  join: (actor, context) => event('ADDED_TO_SPACE', actor, {}, context),
  leave: (actor, context) => event('REMOVED_FROM_SPACE', actor, {}, context),
};

const userOf = ({ person }: Actor) => ({
  name: person.userId ?? `users/${Buffer.from(person.address).toString('hex').slice(-18)}`,
  displayName: person.name,
  type: 'HUMAN',
});

const spaceOf = ({ person, room }: Actor) =>
  room
    ? { name: room.address, type: 'ROOM', spaceType: 'SPACE', displayName: room.name }
    : { name: person.address, type: 'DM', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true };

/** In RFC 3339, with a unique fraction. */
const timeOf = ({ now, number }: ReportContext) =>
  `${new Date(now).toISOString().slice(0, -1)}${String(number % 1_000_000).padStart(6, '0')}Z`;

/** The name of a message begins with its thread: that of the quoted message, or its own. */
function namesOf(written: WrittenMessage, { number }: ReportContext) {
  const space = spaceOf(written).name;
  const quoted = written.replyTo?.vendorId.split('/threads/')[1];
  const thread = quoted ?? `T${number}`;
  return { name: `${space}/messages/${thread}.M${number}`, thread: `${space}/threads/${thread}` };
}

/** In a space, people mention the app. */
function contentOf({ text: said = '', media, room }: WrittenMessage): object {
  const file = media?.file;
  return {
    ...(room ? { text: `@Example ${said}`, argumentText: ` ${said}` } : { text: said }),
    ...(file && {
      attachment: [
        {
          contentName: file.name,
          contentType: file.mediaType,
          attachmentDataRef: { resourceName: file.id },
          source: 'UPLOADED_CONTENT',
        },
      ],
    }),
  };
}

function event(type: string, actor: Actor, more: object, context: ReportContext): WebhookRequest {
  const { credentials, now } = context;
  const seconds = Math.floor(now / 1000);
  const audience = { iss: CHAT, aud: credentials.username ?? '' };
  const token = signedToken({ ...audience, iat: seconds, exp: seconds + 3600 }, { kid: KEY_ID });
  const body = { type, eventTime: timeOf(context), user: userOf(actor), space: spaceOf(actor) };
  return {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ ...body, ...more }),
  };
}
