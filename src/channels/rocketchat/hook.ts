import { createHash } from 'node:crypto';

import { mediaKind } from '../../lib/http/media-kind.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { ignored } from '../inbound.ts';

/* Rocket.Chat's outgoing webhook: a sent message, or a file. https://docs.rocket.chat/docs/integrations */

/** Parses a webhook request; undefined when it is not Rocket.Chat's. Messages by `self` are ignored. */
export function readRocketChat(json: unknown, self: string | undefined) {
  const [room, user] = [textMember(json, 'channel_id'), textMember(json, 'user_id')];
  const [message, name] = [textMember(json, 'message_id'), textMember(json, 'user_name')];
  if (room === undefined || user === undefined || name === undefined) return undefined;
  const isBot = (member(json, 'bot') ?? false) !== false;
  // Somebody joined or left; the request does not say which.
  if (message === undefined) return ignored('member', 'no_event');
  if (user === self) return ignored('message', 'own');
  if (isBot) return ignored('message', 'bot');
  const payload = member(json, 'message');
  const media = mediaOf(payload);
  const caption = textMember(payload, 'attachments', '0', 'description');
  const text = textMember(json, 'text') || caption || '';
  const id = `${room}:${message}`;
  const isEdit = member(json, 'isEdited') === true || member(payload, 'editedAt') !== undefined;
  const [title, thread] = [textMember(json, 'channel_name'), textMember(json, 'tmid')];
  const at = Date.parse(textMember(json, 'timestamp') ?? '');
  return [
    {
      what: isEdit ? ('edit' as const) : ('message' as const),
      // The request has no edit time, so the text distinguishes one edit from another.
      key: isEdit ? `${id}:${createHash('sha256').update(text).digest('hex')}` : id,
      id,
      from: { id: `@${name}`, name },
      // Direct conversations have no name.
      ...(title !== undefined && title !== '' && { group: { id: room, name: title } }),
      ...omitUndefined({
        at: Number.isNaN(at) ? undefined : at,
        text: text === '' && media.length > 0 ? undefined : text,
        mediaType: text === '' ? undefined : ('text/markdown' as const),
        media: media.length > 0 ? media : undefined,
        thread: thread === undefined ? undefined : `${room}:${thread}`,
      }),
    },
  ];
}

function mediaOf(payload: unknown) {
  const files = listMember(payload, 'files');
  const all = files.length > 0 ? files : [member(payload, 'file')];
  return all.flatMap((file) => {
    const [id, name] = [textMember(file, '_id'), textMember(file, 'name')];
    // Images come with a thumbnail.
    if (id === undefined || name === undefined || name.startsWith('thumb-')) return [];
    const mediaType = textMember(file, 'type');
    const reference = `${encodeURIComponent(id)}/${encodeURIComponent(name.toWellFormed())}`;
    return [{ type: mediaKind(mediaType), reference, name, ...omitUndefined({ mediaType }) }];
  });
}
