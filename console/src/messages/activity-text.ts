/* An activity as one line of text. The activity is untrusted and may have any shape. */

type UnknownRecord = Record<string, unknown>;

const isObject = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null;
const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');

const KINDS: Readonly<Record<string, string>> = {
  Image: 'Image',
  Video: 'Video',
  Audio: 'Audio',
  Document: 'Document',
  Place: 'Location',
};

/** One line of a list cannot show more. */
const MAX_LINE_LENGTH = 500;

/** Its text as people read it, for a line of a list. */
export function activityLine(activity: unknown): string {
  const line = activityText(activity).slice(0, MAX_LINE_LENGTH);
  const mediaType =
    isObject(activity) && isObject(activity['object']) ? text(activity['object']['mediaType']) : '';
  if (mediaType.startsWith('text/markdown')) return withoutMarkdown(line);
  return mediaType.startsWith('text/html') ? withoutHtml(line) : line;
}

/* Only common markup: the parser of the service, which the message page loads, is too large for the lists. */

const withoutMarkdown = (line: string) =>
  line
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(?<!\\)(\*\*|__|~~|`+)(?=\S)(.*?\S)\1/gs, '$2')
    .replaceAll(/(?<![\w*\\])([*_])(?=\S)([^*_]*\S)\1(?![\w*])/g, '$2')
    .replaceAll(/^(?:#{1,6}|>)\s+/gm, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: '\u00A0',
};

const withoutHtml = (line: string) =>
  line
    .replaceAll(/<(?:br|\/p|\/div|\/li|\/h[1-6])\b[^>]*>/gi, ' ')
    .replaceAll(/<\/?[a-z][^>]*>?/gi, '')
    .replaceAll(/&([a-z]+|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();

export function activityText(activity: unknown): string {
  if (!isObject(activity) || !isObject(activity['object'])) return '';
  const { object } = activity;
  if (activity['type'] === 'Delete') return `Delete ${text(object['id'])}`.trim();
  const line = objectText(object);
  return activity['type'] === 'Update' ? `Edit: ${line}` : line;
}

function objectText(object: UnknownRecord): string {
  const content = text(object['content']);
  const kind = KINDS[text(object['type'])];
  const name = text(object['name']);
  if (kind !== undefined) return [kind, name, content].filter((part) => part !== '').join(': ');
  if (content !== '') return content;
  const items = object['items'] ?? object['attachment'];
  if (!Array.isArray(items)) return name;
  return items
    .filter(isObject)
    .map((item) => objectText(item))
    .join(', ');
}
