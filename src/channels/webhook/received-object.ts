import { member, textMember } from '../../lib/json/json-member.ts';
import type { ActivityObject } from '../../model/activity.ts';

/* The object of an activity posted by an endpoint: every type of the API, with the fields it defines. */

const TYPES = new Set([
  'Note',
  'Image',
  'Video',
  'Audio',
  'Document',
  'Place',
  'Collection',
  'Link',
  'Button',
]);
const TEXTS = [
  'id',
  'name',
  'summary',
  'content',
  'mediaType',
  'url',
  'value',
  'duration',
] as const;
/** URLs of images, or objects with one. */
const IMAGES = ['preview', 'icon'] as const;
const NUMBERS = ['latitude', 'longitude'] as const;
const MAX_PARTS = 50;
/** Items of a collection have attachments, which have nothing below them. */
const MAX_DEPTH = 2;

/** The object as posted; undefined when the API does not define it. */
export function receivedObject(sent: unknown, depth = 0): ActivityObject | undefined {
  const type = textMember(sent, 'type');
  if (type === undefined || !TYPES.has(type)) return undefined;
  const attachment = partsOf(member(sent, 'attachment'), depth);
  const items = partsOf(member(sent, 'items'), depth);
  if (!attachment || !items) return undefined;
  const replyTo = idOf(member(sent, 'inReplyTo'));
  const thread = threadOf(member(sent, 'context'));
  return {
    type,
    ...fieldsOf(sent, TEXTS, 'string'),
    ...fieldsOf(sent, NUMBERS, 'number'),
    ...imagesOf(sent),
    ...(replyTo !== undefined && { inReplyTo: replyTo }),
    ...(thread && { context: thread }),
    ...(attachment.length > 0 && { attachment }),
    ...(items.length > 0 && { items }),
  };
}

/** A thread is an object with its id as `content`, or just an id. */
export function threadOf(value: unknown): { type: 'Object'; content: string } | undefined {
  const content = typeof value === 'string' ? value : textMember(value, 'content');
  return content === undefined || content === '' ? undefined : { type: 'Object', content };
}

/** Undefined when one of them is invalid: none is dropped silently. */
function partsOf(value: unknown, depth: number): ActivityObject[] | undefined {
  if (value === undefined || value === null) return [];
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  if (parts.length > MAX_PARTS || depth >= MAX_DEPTH) return undefined;
  const read = parts.map((part) => receivedObject(part, depth + 1));
  return read.every((part) => part !== undefined) ? read : undefined;
}

function fieldsOf(sent: unknown, names: readonly string[], type: 'string' | 'number'): object {
  const given = names.map((name) => [name, member(sent, name)] as const);
  return Object.fromEntries(given.filter(([, value]) => typeof value === type));
}

function imagesOf(sent: unknown): object {
  const given = IMAGES.map((name) => [name, imageOf(member(sent, name))] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function imageOf(value: unknown): unknown {
  const url = textMember(value, 'url');
  if (typeof value === 'string') return value;
  return url === undefined ? undefined : { type: 'Image', url };
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : textMember(value, 'id');
}
