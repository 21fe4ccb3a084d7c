import type { PlacePart } from '../channels/channel.ts';
import { type Structure, noStructure, readHtml, readMarkdown } from '../lib/rich-text/readers.ts';
import { type RichText, cleanUrl, plainText, unstyled } from '../lib/rich-text/rich-text.ts';
import { secondsIn } from '../lib/text/iso-duration.ts';
import { type Activity, type ActivityObject, markupOf } from '../model/activity.ts';
import { type Button, readButton } from '../model/button.ts';

/* The content of an activity, split into pieces that are independent of the channel and its abilities. */

const MEDIA_KINDS = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

interface TextPiece {
  kind: 'text';
  rich: RichText;
}

export interface MediaPiece {
  kind: MediaKind;
  url: string;
  mediaType?: string;
  name?: string;
  preview?: string;
  /** In seconds. */
  duration?: number;
  caption: RichText;
}

export interface PlacePiece extends PlacePart {
  kind: 'place';
  caption: RichText;
}

export type Piece = TextPiece | MediaPiece | PlacePiece;

/** Pieces, and the buttons below them. */
export interface Item {
  pieces: Piece[];
  buttons: Button[];
  /** Whether it holds the collection's own content rather than an item. */
  isOwn?: true;
}

export interface Content {
  title?: string;
  /** More than one only where items of a collection have their own buttons. */
  items: Item[];
  /** Structure in the texts that rich text cannot express. */
  structure: Structure;
}

export function readContent({ object }: Activity): Content {
  const structure = noStructure();
  const isCollection = object.type === 'Collection';
  const items = isCollection ? readCollection(object, structure) : [readItem(object, structure)];
  const title = object.type === 'Note' ? textOf(object.name).trim() || textOf(object.summary) : '';
  return { items, structure, ...(title !== '' && { title }) };
}

/** The collection's own buttons go below everything, or below its text if items have their own buttons. */
function readCollection(object: ActivityObject, structure: Structure): Item[] {
  const lead = textPieces(object.content);
  const items = (object.items ?? []).map((item) => readItem(item, structure));
  const attached = readAttachments(object);
  if (items.every(({ buttons }) => buttons.length === 0)) {
    const inner = items.flatMap(({ pieces }) => pieces);
    return [{ pieces: [...lead, ...inner, ...attached.pieces], buttons: attached.buttons }];
  }
  const hasLead = lead.length > 0;
  const first: Item = { pieces: lead, buttons: hasLead ? attached.buttons : [], isOwn: true };
  const last: Item = {
    pieces: attached.pieces,
    buttons: hasLead ? [] : attached.buttons,
    isOwn: true,
  };
  return [first, ...items, last].filter(
    ({ pieces, buttons }) => pieces.length + buttons.length > 0,
  );
}

function readItem(object: ActivityObject, structure: Structure): Item {
  const { pieces, buttons } = readAttachments(object);
  const main = mainPiece(object, structure);
  const [first, ...others] = pieces;
  // One image and a text become an image with a caption.
  const isCaption = main?.kind === 'text' && others.length === 0;
  if (first && first.kind !== 'text' && first.caption.length === 0 && isCaption) {
    return { pieces: [{ ...first, caption: main.rich }], buttons };
  }
  return { pieces: [...(main ? [main] : []), ...pieces], buttons };
}

function readAttachments({ attachment: attachments = [] }: ActivityObject): Item {
  return {
    pieces: attachments.flatMap(readAttachment),
    buttons: attachments
      .filter(({ type }) => type === 'Button')
      .map(readButton)
      .filter(({ name }) => name !== ''),
  };
}

function mainPiece(object: ActivityObject, structure: Structure): Piece | undefined {
  const { type } = object;
  if (type === 'Note') {
    const rich = readText(object, structure);
    return rich.length === 0 ? undefined : { kind: 'text', rich };
  }
  if (type === 'Place') return placePiece(object);
  return mediaPiece(object);
}

/**
 * Beyond any text a person writes. A plan returns from its thread one format change at a time; 85,000 of them blocked
 * the main thread for 118 ms.
 */
export const MAX_FORMAT_CHANGES = 10_000;

function readText(note: ActivityObject, structure: Structure): RichText {
  const rich = readMarkup(note, structure);
  structure.formatChanges += rich.length;
  return structure.formatChanges > MAX_FORMAT_CHANGES ? unstyled(plainText(rich)) : rich;
}

function readMarkup(note: ActivityObject, structure: Structure): RichText {
  const { content = '' } = note;
  const markup = markupOf(note);
  if (markup === 'markdown') return readMarkdown(content, structure);
  return markup === 'html' ? readHtml(content, structure) : unstyled(content);
}

function readAttachment(attachment: ActivityObject): Piece[] {
  const { type, name, url } = attachment;
  if (type === 'Button') return [];
  if (type === 'Place') return [placePiece(attachment)];
  if (type === 'Link') {
    const link = url ?? '';
    const linkPiece: Piece = {
      kind: 'text',
      rich: [{ text: textOf(name) || link, look: { link: cleanUrl(link) } }],
    };
    return [...textPieces(attachment.content), linkPiece];
  }
  return [mediaPiece(attachment)];
}

function textPieces(content = ''): TextPiece[] {
  return content === '' ? [] : [{ kind: 'text', rich: unstyled(content) }];
}

const KIND: Readonly<Record<string, MediaKind>> = {
  Image: 'image',
  Video: 'video',
  Audio: 'audio',
};

function mediaPiece(object: ActivityObject): MediaPiece {
  const { type, url = '', mediaType, name, content = '' } = object;
  const preview = addressOf(object.preview) ?? addressOf(object.icon);
  const duration = secondsIn(object.duration);
  return {
    kind: KIND[type] ?? 'document',
    url,
    caption: unstyled(content),
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && name !== '' && { name }),
    ...(preview !== undefined && { preview }),
    ...(duration !== undefined && { duration }),
  };
}

function placePiece({
  latitude = 0,
  longitude = 0,
  name,
  content = '',
}: ActivityObject): PlacePiece {
  const caption = unstyled(content);
  return { kind: 'place', latitude, longitude, caption, ...(name !== undefined && { name }) };
}

function addressOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && 'url' in value) return addressOf(value.url);
  return typeof value === 'string' && /^https?:\/\//.test(value) ? value : undefined;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
