import type { Button, PlacePart } from '../channels/channel.ts';
import { secondsIn } from '../lib/iso-duration.ts';
import { type Structure, noStructure, readHtml, readMarkdown } from '../lib/rich-readers.ts';
import { type RichText, cleanAddress, plainText, unstyled } from '../lib/rich-text.ts';
import { type Activity, type ActivityObject, markupOf } from '../model/activity.ts';

/*
 * What an activity says, in pieces that are the same for all channels. Which of them a channel can carry is
 * not asked here.
 */

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export interface TextPiece {
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

export interface Content {
  title?: string;
  pieces: Piece[];
  buttons: Button[];
  /** What its texts have that rich text cannot say. */
  structure: Structure;
}

/** What is gathered from all objects, whichever piece it stands in. */
type Gathered = Pick<Content, 'buttons' | 'structure'>;

export function readContent({ object }: Activity): Content {
  const gathered: Gathered = { buttons: [], structure: noStructure() };
  const pieces = readObject(object, gathered);
  const title = object.type === 'Note' ? textOf(object.name).trim() || textOf(object.summary) : '';
  return {
    pieces,
    ...gathered,
    ...(title !== '' && { title }),
  };
}

function readObject(object: ActivityObject, gathered: Gathered): Piece[] {
  const attachments = (object.attachment ?? []).flatMap((each) =>
    readAttachment(each, gathered.buttons),
  );
  if (object.type === 'Collection') {
    const items = (object.items ?? []).flatMap((item) => readObject(item, gathered));
    return [...textPieces(object.content), ...items, ...attachments];
  }
  const own = ownPiece(object, gathered.structure);
  const [first, ...others] = attachments;
  // One picture and a text are a picture with a caption.
  const isCaption = own?.kind === 'text' && others.length === 0;
  if (first && first.kind !== 'text' && first.caption.length === 0 && isCaption) {
    return [{ ...first, caption: own.rich }];
  }
  return [...(own ? [own] : []), ...attachments];
}

function ownPiece(object: ActivityObject, structure: Structure): Piece | undefined {
  const { type } = object;
  if (type === 'Note') {
    const rich = readText(object, structure);
    return rich.length === 0 ? undefined : { kind: 'text', rich };
  }
  if (type === 'Place') return placePiece(object);
  return mediaPiece(object);
}

/**
 * More is no text that a person wrote. A plan comes back from its thread piece by piece of format, and 85,000 of them
 * held the main thread for 118 ms.
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

function readAttachment(attachment: ActivityObject, buttons: Button[]): Piece[] {
  const { type, name, url } = attachment;
  if (type === 'Button') {
    const label = textOf(name) || (url ?? '');
    if (label !== '') buttons.push({ name: label, ...(url !== undefined && { url }) });
    return [];
  }
  if (type === 'Place') return [placePiece(attachment)];
  if (type === 'Link') {
    const link = url ?? '';
    const leading: Piece = {
      kind: 'text',
      rich: [{ text: textOf(name) || link, look: { link: cleanAddress(link) } }],
    };
    return [...textPieces(attachment.content), leading];
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
