import { omitUndefined } from '../../lib/json/omit-undefined.ts';

/*
 * Mattermost's outgoing webhook: a post in a public channel.
 * https://developers.mattermost.com/integrate/webhooks/outgoing/
 */

/** Parses the fields of a webhook request; undefined when they are not Mattermost's. */
export function readMattermost(fields: ReadonlyMap<string, string>) {
  const [id, channel] = [fields.get('post_id'), fields.get('channel_id')];
  const from = fields.get('user_id');
  if (id === undefined || channel === undefined || from === undefined) return undefined;
  const files = (fields.get('file_ids') ?? '').split(',').filter((each) => each !== '');
  const text = fields.get('text') ?? '';
  const at = momentOf(fields.get('timestamp'));
  return [
    {
      what: 'message' as const,
      key: id,
      id,
      from: { id: from, ...omitUndefined({ name: fields.get('user_name') }) },
      // A user id is not an address.
      answerTo: channel,
      group: { id: channel, ...omitUndefined({ name: fields.get('channel_name') }) },
      text,
      mediaType: 'text/markdown' as const,
      ...omitUndefined({ at }),
      ...(files.length > 0 && {
        media: files.map((reference) => ({ type: 'Document' as const, reference })),
      }),
    },
  ];
}

/** In milliseconds in JSON, in seconds in a form. */
function momentOf(text = ''): number | undefined {
  if (/^\d{13}$/.test(text)) return Number(text);
  return /^\d{10}$/.test(text) ? Number(text) * 1000 : undefined;
}
