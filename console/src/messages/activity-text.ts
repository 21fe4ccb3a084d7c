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

export function activityText(activity: unknown): string {
  if (!isObject(activity) || !isObject(activity['object'])) return '';
  const { object } = activity;
  if (activity['type'] === 'Delete') return `Delete ${text(object['id'])}`.trim();
  const said = objectText(object);
  return activity['type'] === 'Update' ? `Edit: ${said}` : said;
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
