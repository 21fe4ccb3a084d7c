import { FetchFault } from '../../lib/http/fetch.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { jsonText } from '../../lib/json/json-text.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import type { HookContext, InboundEvent, Party } from '../inbound.ts';
import { ignored } from '../inbound.ts';
import { EMAIL, call, kindOf } from './api.ts';

/*
 * Webex's webhooks: https://developer.webex.com/docs/api/guides/webhooks
 * A request has the ids of an event; the content of messages and submitted cards must be fetched. `createdBy` is the
 * account that created the webhook: the bot.
 */

/** Parses a webhook request; undefined when it is not one of Webex. */
export async function readWebhook(
  json: unknown,
  context: HookContext,
): Promise<readonly InboundEvent[] | undefined> {
  const [resource, event] = [textMember(json, 'resource'), textMember(json, 'event')];
  const data = member(json, 'data');
  const id = textMember(data, 'id');
  if (resource === undefined || event === undefined || id === undefined) return undefined;
  const type = `${resource}.${event}`;
  if (kindOf(id) === undefined) return ignored(type, 'incomplete');
  const bot = textMember(json, 'createdBy');
  const isOfBot = bot !== undefined && textMember(data, 'personId') === bot;
  switch (type) {
    case 'messages.created':
    case 'messages.updated': {
      if (isOfBot) return ignored(type, 'own');
      const message = await get(`messages/${id}`, context);
      // Deleted in the meantime.
      if (message === undefined) return ignored(type, 'no_content');
      return messageEvents(event === 'created' ? 'message' : 'edit', message);
    }
    case 'messages.deleted':
      return isOfBot ? ignored(type, 'own') : deletion(id, textMember(json, 'actorId'), data);
    case 'attachmentActions.created': {
      const action = await get(`attachment/actions/${id}`, context);
      const roomId = textMember(action, 'roomId') ?? '';
      const room = kindOf(roomId) && (await get(`rooms/${roomId}`, context));
      return action === undefined ? ignored(type, 'no_content') : press(action, room);
    }
    case 'memberships.created':
    case 'memberships.deleted':
      return membership(event === 'created' ? 'join' : 'leave', {
        id,
        data,
        isOfBot,
        bot,
        actor: textMember(json, 'actorId'),
      });
    default:
      return ignored(type, 'no_event');
  }
}

/** The object at a path; undefined if there is none. Any other failure is answered with 503, not dropped silently. */
async function get(path: string, context: HookContext): Promise<unknown> {
  const answer = await call('GET', path, undefined, context);
  if (answer?.status === 404) return undefined;
  const json = answer?.status === 200 ? answer.json() : undefined;
  if (json === undefined) {
    const why = answer ? `Webex answered ${answer.status}` : 'the bot access token is invalid';
    throw new FetchFault(why, false);
  }
  return json;
}

/** The events of a message as Webex returns it. */
export function messageEvents(what: 'message' | 'edit', message: unknown): InboundEvent[] {
  const type = what === 'message' ? 'messages.created' : 'messages.updated';
  const [id, from] = [textMember(message, 'id'), personOf(message)];
  const thread = textMember(message, 'parentId');
  const media = listMember(message, 'files').flatMap((file) => mediaOf(file, message));
  const text = textOf(message);
  if (id === undefined || !from) return ignored(type, 'incomplete');
  if (!text && media.length === 0) return ignored(type, 'no_content');
  const edited = textMember(message, 'updated');
  return [
    {
      what,
      key: what === 'message' ? id : `edit:${id}:${edited ?? ''}`,
      id,
      from,
      ...text,
      ...omitUndefined({
        at: timeOf(what === 'message' ? textMember(message, 'created') : edited),
        group: groupOf(message),
        media: media.length > 0 ? media : undefined,
        replyTo: thread,
        thread,
      }),
    },
  ];
}

function textOf(message: unknown) {
  const [markdown, html] = [textMember(message, 'markdown'), textMember(message, 'html')];
  if (markdown) return { text: markdown, mediaType: 'text/markdown' as const };
  if (html) return { text: html, mediaType: 'text/html' as const };
  const text = textMember(message, 'text');
  return text ? { text } : undefined;
}

function mediaOf(file: unknown, message: unknown) {
  if (typeof file !== 'string') return [];
  const isVoice = member(message, 'isVoiceClip') === true;
  return [{ type: isVoice ? ('Audio' as const) : ('Document' as const), reference: file }];
}

function deletion(id: string, actor: string | undefined, data: unknown): InboundEvent[] {
  const from = actor === undefined ? personOf(data) : { id: actor };
  if (!from) return ignored('messages.deleted', 'incomplete');
  const group = groupOf(data);
  return [{ what: 'deletion', key: `deleted:${id}`, id, from, ...omitUndefined({ group }) }];
}

/** Our buttons submit their name and value; other cards submit their form. */
function press(action: unknown, room: unknown): InboundEvent[] {
  const [id, from] = [textMember(action, 'id'), personOf(action)];
  const inputs = member(action, 'inputs');
  if (id === undefined || !from || typeof inputs !== 'object' || inputs === null) {
    return ignored('attachmentActions.created', 'incomplete');
  }
  const [name, value] = [textMember(inputs, 'name'), textMember(inputs, 'value')];
  const isOurs = Object.keys(inputs).length === 2 && name !== undefined && value !== undefined;
  const form = jsonText(inputs);
  const roomId = textMember(action, 'roomId');
  return [
    {
      what: 'message',
      key: id,
      from,
      button: isOurs ? { name, value } : { name: form, value: form },
      ...omitUndefined({
        at: timeOf(textMember(action, 'created')),
        group: groupOf({ roomId, roomType: textMember(room, 'type') }, textMember(room, 'title')),
        replyTo: textMember(action, 'messageId'),
      }),
    },
  ];
}

interface Change {
  id: string;
  data: unknown;
  /** Whether it is the membership of the bot. */
  isOfBot: boolean;
  bot: string | undefined;
  actor: string | undefined;
}

/**
 * If the bot itself is added or removed, `from` is the group, or in a direct conversation the person who did it. In a
 * direct conversation, Webex also reports the membership of that person, which is ignored.
 */
function membership(
  what: 'join' | 'leave',
  { id, data, isOfBot, bot, actor }: Change,
): InboundEvent[] {
  const type = what === 'join' ? 'memberships.created' : 'memberships.deleted';
  const [group, person] = [groupOf(data), personOf(data)];
  if (!group && !isOfBot) return ignored(type, 'no_change');
  if (!group && actor === bot) return ignored(type, 'own');
  const from = isOfBot ? (group ?? (actor === undefined ? undefined : { id: actor })) : person;
  if (!from) return ignored(type, 'incomplete');
  const at = timeOf(what === 'join' ? textMember(data, 'created') : undefined);
  return [{ what, key: `${what}:${id}`, from, ...omitUndefined({ at, group }) }];
}

function personOf(data: unknown): Party | undefined {
  const [id, email] = [textMember(data, 'personId'), textMember(data, 'personEmail')];
  if (id === undefined || kindOf(id) !== 'PEOPLE') return undefined;
  const name = textMember(data, 'personDisplayName');
  const otherAddresses = email !== undefined && EMAIL.test(email) ? [email] : undefined;
  return { id, ...omitUndefined({ name, otherAddresses }) };
}

/** The room, unless it is a direct conversation. */
function groupOf(data: unknown, name?: string): Party | undefined {
  const id = textMember(data, 'roomId');
  const isDirect = textMember(data, 'roomType') === 'direct';
  if (id === undefined || isDirect || kindOf(id) !== 'ROOM') return undefined;
  return { id, ...omitUndefined({ name }) };
}

function timeOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}
