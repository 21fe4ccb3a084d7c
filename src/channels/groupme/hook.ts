import type { MediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, numberMember, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';

/*
 * GroupMe's webhook: a bot receives each message of its group. https://dev.groupme.com/tutorials/bots
 * Attachments: https://github.com/groupme-js/GroupMeCommunityDocs
 */

/** Parses a webhook request; undefined when it is not GroupMe's. */
export function readGroupMe(json: unknown) {
  const [id, group] = [textMember(json, 'id'), textMember(json, 'group_id')];
  const from = textMember(json, 'user_id') ?? textMember(json, 'sender_id');
  if (id === undefined || group === undefined || from === undefined) return undefined;
  // Bots also receive their own messages and GroupMe's notices about the group.
  const sender = textMember(json, 'sender_type') ?? '';
  if (sender !== 'user') return ignored(`message.${sender}`, sender === 'bot' ? 'bot' : 'no_event');
  const attachments = listMember(json, 'attachments');
  const media = attachments.flatMap(mediaOf);
  const place = attachments.map(placeOf).find((each) => each !== undefined);
  const reply = attachments.find((each) => textMember(each, 'type') === 'reply');
  const text = textMember(json, 'text') || undefined;
  const created = numberMember(json, 'created_at');
  if (text === undefined && media.length === 0 && !place) return ignored('message', 'no_content');
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: from, ...omitUndefined({ name: textMember(json, 'name') }) },
      // Replies go to the group.
      answerTo: group,
      group: { id: group },
      ...omitUndefined({
        at: created === undefined ? undefined : created * 1000,
        text,
        media: media.length > 0 ? media : undefined,
        place,
        replyTo: textMember(reply, 'reply_id'),
      }),
    },
  ];
}

const KINDS = new Map<string, MediaKind>([
  ['image', 'Image'],
  ['linked_image', 'Image'],
  ['video', 'Video'],
]);

function mediaOf(attachment: unknown) {
  const reference = textMember(attachment, 'url');
  if (reference === undefined) return [];
  const type = KINDS.get(textMember(attachment, 'type') ?? '');
  return type === undefined ? [] : [{ type, reference }];
}

function placeOf(attachment: unknown) {
  if (textMember(attachment, 'type') !== 'location') return undefined;
  const [latitude, longitude] = ['lat', 'lng'].map((name) => {
    const given = member(attachment, name);
    return typeof given === 'number' || typeof given === 'string' ? Number(given) : Number.NaN;
  });
  if (latitude === undefined || longitude === undefined) return undefined;
  if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return undefined;
  return { latitude, longitude, ...omitUndefined({ name: textMember(attachment, 'name') }) };
}
