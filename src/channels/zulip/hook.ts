import type { MediaKind } from '../../lib/http/media-kind.ts';
import {
  integerMember,
  listMember,
  member,
  numberMember,
  textMember,
} from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';

/* Zulip's outgoing webhook: messages to the bot, or mentioning it. https://zulip.com/api/outgoing-webhooks */

/** Parses a webhook request; undefined when it is not Zulip's. */
export function readZulip(json: unknown) {
  const message = member(json, 'message');
  const [id, from] = [integerMember(message, 'id'), integerMember(message, 'sender_id')];
  if (id === undefined || from === undefined) return undefined;
  const written = textMember(json, 'data') ?? textMember(message, 'content') ?? '';
  const text = withoutName(written, textMember(json, 'bot_full_name'));
  const media = mediaIn(text);
  const at = numberMember(message, 'timestamp');
  const topic = textMember(message, 'subject') ?? textMember(message, 'topic');
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: from, ...omitUndefined({ name: textMember(message, 'sender_full_name') }) },
      text,
      mediaType: 'text/markdown' as const,
      ...omitUndefined({
        at: at === undefined ? undefined : at * 1000,
        group: groupOf(message, topic ?? ''),
        thread: textMember(message, 'type') === 'stream' ? topic : undefined,
        media: media.length > 0 ? media : undefined,
      }),
    },
  ];
}

/** A topic of a stream, or a group conversation of more than two. */
function groupOf(message: unknown, topic: string) {
  const stream = textMember(message, 'display_recipient');
  // The address of a stream with a slash in its name would be ambiguous.
  if (stream !== undefined) {
    return stream.includes('/') ? undefined : { id: `${stream}/${topic}`, name: stream };
  }
  const people = listMember(message, 'display_recipient').map((each) => integerMember(each, 'id'));
  const ids = people.filter((each) => each !== undefined);
  return ids.length > 2 ? { id: ids.join(',') } : undefined;
}

/** Without a leading mention of the bot. */
function withoutName(text: string, name: string | undefined): string {
  const mention = `@**${name}**`;
  return name !== undefined && text.startsWith(mention) ? text.slice(mention.length).trim() : text;
}

const LINK =
  /\[([^\]\n]{0,200})\]\((?:https?:\/\/[^/)\s]{1,200})?\/user_uploads\/([\w./%~-]{1,500})\)/g;
const MAX_FILES = 20;

/** Uploaded files are links in the text. */
function mediaIn(text: string) {
  return [...text.matchAll(LINK)].slice(0, MAX_FILES).map(([, name = '', reference = '']) => {
    const type = kindOf(reference);
    return name === '' ? { type, reference } : { type, reference, name };
  });
}

function kindOf(path: string): MediaKind {
  if (/\.(?:png|jpe?g|gif|webp)$/i.test(path)) return 'Image';
  if (/\.(?:mp4|webm|mov)$/i.test(path)) return 'Video';
  return /\.(?:mp3|m4a|ogg|wav)$/i.test(path) ? 'Audio' : 'Document';
}
