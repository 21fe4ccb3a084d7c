import { SANDBOX_URL } from '../../../model/sandbox/sandbox-url.ts';
import type {
  Actor,
  ReportContext,
  Reports,
  WebhookRequest,
  WrittenMessage,
} from '../../simulator.ts';
import { signedToken } from './fake-key.ts';

/*
 * The activities that the Bot Connector sends to a bot, each with a token that it signs.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#activity-object
 */
export const APP = '00000000-1111-2222-3333-444444444444';
export const KEY_ID = 'key-of-the-connector';

const SERVICE = `${SANDBOX_URL}/teams/`;
const BOT = { id: `28:${APP}`, name: 'Example' };

export const teamsActivities: Reports = {
  message(written, context) {
    const { replyTo } = written;
    const content = {
      ...contentOf(written),
      ...(replyTo && { replyToId: replyTo.vendorId }),
    };
    return { ...activity('message', written, content, context), id: idOf(context) };
  },

  press({ message, button: { label, value = label }, ...actor }, context) {
    const content = {
      text: label,
      textFormat: 'plain',
      value: { value },
      replyToId: message.vendorId,
    };
    return activity('message', actor, content, context);
  },

  /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/conversation-messages#message-read-receipts */
  receipt({ message: { vendorId, person: address } }, context) {
    const content = {
      name: 'application/vnd.microsoft.readReceipt',
      value: { lastReadMessageId: vendorId },
    };
    return activity('event', { person: { address, name: address } }, content, context);
  },

  join: (actor, context) =>
    activity('conversationUpdate', actor, { membersAdded: [memberOf(actor)] }, context),
  leave: (actor, context) =>
    activity('conversationUpdate', actor, { membersRemoved: [memberOf(actor)] }, context),
};

/** Ids look like times in milliseconds. */
const idOf = ({ number }: ReportContext) => String(1_710_000_000_000 + number);

const userOf = ({ person: { address, name, userId = `29:${address}` } }: Actor) => ({
  id: userId,
  name,
});

/** In a personal conversation, the bot is added or removed. */
const memberOf = (actor: Actor) => (actor.room ? userOf(actor) : BOT);

/** In a room, people mention the bot. Files are inline media, or documents to download. */
function contentOf({ text: said = '', media, room }: WrittenMessage): object {
  const mention = '<at>Example</at>';
  const { file, type } = media ?? {};
  const isShown = type !== undefined && type !== 'Document';
  const contentUrl = `${SERVICE}v3/attachments/${file?.id ?? ''}/views/original`;
  const attachment = isShown
    ? { contentType: file?.mediaType, contentUrl, name: file?.name }
    : {
        contentType: 'application/vnd.microsoft.teams.file.download.info',
        name: file?.name,
        content: { downloadUrl: contentUrl, uniqueId: file?.id, fileType: 'pdf' },
      };
  return {
    text: room ? `${mention} ${said}` : said,
    textFormat: 'plain',
    ...(room && { entities: [{ type: 'mention', mentioned: BOT, text: mention }] }),
    ...(file && { attachments: [attachment] }),
  };
}

function conversationOf({ person, room }: Actor) {
  if (!room) return { id: person.address, conversationType: 'personal' };
  const { address, name } = room;
  const isChannel = address.endsWith('@thread.tacv2');
  const conversationType = isChannel ? 'channel' : 'groupChat';
  return { id: address, name, isGroup: true, conversationType };
}

function activity(
  type: string,
  actor: Actor,
  content: object,
  context: ReportContext,
): WebhookRequest {
  const { credentials, now, number } = context;
  const seconds = Math.floor(now / 1000);
  const claims = {
    iss: 'https://api.botframework.com',
    aud: credentials.token ?? '',
    serviceurl: SERVICE,
    nbf: seconds,
    exp: seconds + 600,
  };
  const body = {
    type,
    id: idOf(context),
    // The fraction of the second differs between activities.
    timestamp: `${new Date(now).toISOString().slice(0, -1)}${String(number % 10_000).padStart(4, '0')}Z`,
    serviceUrl: SERVICE,
    channelId: 'msteams',
    from: userOf(actor),
    conversation: conversationOf(actor),
    recipient: BOT,
    ...content,
  };
  const token = signedToken(claims, { kid: KEY_ID });
  return {
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  };
}
