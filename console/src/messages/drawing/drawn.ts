/* The content of an activity as its recipient sees it. The activity is untrusted and may have any shape. */

export type Markup = 'markdown' | 'html';

export type FileKind = 'image' | 'video' | 'audio' | 'document';

export interface DrawnButton {
  name: string;
  /** The URL that it opens; undefined if it sends its value back. */
  url: string | undefined;
}

export type Block =
  | { kind: 'text'; text: string; markup: Markup | undefined }
  | {
      kind: 'file';
      type: FileKind;
      name: string;
      url: string | undefined;
      mediaType: string;
      caption: string;
    }
  | { kind: 'place'; name: string; latitude: number; longitude: number; caption: string }
  | { kind: 'link'; name: string; url: string }
  | { kind: 'buttons'; buttons: DrawnButton[] };

interface DrawnMessage {
  action: 'create' | 'update' | 'delete';
  /** Id of the message that an update or deletion changes. */
  target: string | undefined;
  /** Id of the message that this one answers. */
  quotes: string | undefined;
  /** Subject of a message that has one. */
  subject: string | undefined;
  blocks: Block[];
}

type UnknownRecord = Record<string, unknown>;

/** More are not drawn: an activity from outside could have any number. */
const MAX_BLOCKS = 100;
const SAFE_URL = /^(?:https?:\/\/|mailto:|tel:)/i;

const FILE_KINDS: Readonly<Record<string, FileKind>> = {
  Image: 'image',
  Video: 'video',
  Audio: 'audio',
  Document: 'document',
};

const isObject = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null;
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);

/** The URL, if it is safe to open. */
export const safeUrl = (value: unknown): string | undefined =>
  typeof value === 'string' && SAFE_URL.test(value) && URL.canParse(value) ? value : undefined;

/** An id, which may be a string, a number, or a number too large for JavaScript. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return undefined;
  if ('rawJSON' in value) return textOf(value['rawJSON']);
  return 'id' in value ? idOf(value['id']) : undefined;
}

/** The id of the message that an activity is about. */
export const objectIdOf = (activity: unknown): string | undefined =>
  isObject(activity) && isObject(activity['object']) ? idOf(activity['object']['id']) : undefined;

export function drawMessage(activity: unknown): DrawnMessage {
  const { type, object } = isObject(activity) ? activity : {};
  const item = isObject(object) ? object : {};
  const action = type === 'Delete' ? 'delete' : type === 'Update' ? 'update' : 'create';
  return {
    action,
    target: action === 'create' ? undefined : idOf(item['id']),
    quotes: action === 'delete' ? undefined : idOf(item['inReplyTo']),
    subject: item['type'] === 'Note' ? textOf(item['name']) || undefined : undefined,
    blocks: action === 'delete' ? [] : blocksOf(item).slice(0, MAX_BLOCKS),
  };
}

function blocksOf(item: UnknownRecord): Block[] {
  const type = textOf(item['type']);
  if (type === 'Collection') {
    return listOf(item['items']).flatMap((each) => ownBlocks(each));
  }
  return ownBlocks(item);
}

/** The blocks of one item: itself, its attachments, and below them its buttons. */
function ownBlocks(item: UnknownRecord): Block[] {
  const attachments = listOf(item['attachment']);
  const buttons = attachments.filter((each) => each['type'] === 'Button').map(buttonOf);
  return [
    ...blockOf(item),
    ...attachments.flatMap((each) => (each['type'] === 'Button' ? [] : blockOf(each))),
    ...(buttons.length > 0 ? [{ kind: 'buttons' as const, buttons }] : []),
  ];
}

function blockOf(item: UnknownRecord): Block[] {
  const type = textOf(item['type']);
  const text = textOf(item['content']);
  const name = textOf(item['name']);
  const file = Object.hasOwn(FILE_KINDS, type) ? FILE_KINDS[type] : undefined;
  if (file !== undefined) {
    const url = safeUrl(item['url']);
    const mediaType = textOf(item['mediaType']);
    return [
      { kind: 'file', type: file, name: name || fileName(url), url, mediaType, caption: text },
    ];
  }
  if (type === 'Place') {
    const [latitude, longitude] = [Number(item['latitude']), Number(item['longitude'])];
    if (!Number.isFinite(latitude) || !Number.isFinite(longitude)) return [];
    return [{ kind: 'place', name, latitude, longitude, caption: text }];
  }
  if (type === 'Link') {
    const url = safeUrl(item['url']);
    return url === undefined ? [] : [{ kind: 'link', name: name || url, url }];
  }
  return text.trim() === '' ? [] : [{ kind: 'text', text, markup: markupOf(type, item) }];
}

function markupOf(type: string, { mediaType }: UnknownRecord): Markup | undefined {
  const [, markup] = /^\s*text\/(markdown|html)\s*(?:;|$)/i.exec(textOf(mediaType)) ?? [];
  if (type !== 'Note' || markup === undefined) return undefined;
  return markup.toLowerCase() === 'html' ? 'html' : 'markdown';
}

function buttonOf(item: UnknownRecord): DrawnButton {
  const url = safeUrl(item['url']);
  return { name: textOf(item['name']) || textOf(item['url']), url };
}

/** The last part of a URL's path, as a person would read it. */
function fileName(url: string | undefined): string {
  const last = url === undefined ? '' : (URL.parse(url)?.pathname.split('/').at(-1) ?? '');
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
