import { JsonError, parseJson } from '../lib/json.ts';
import { listMember, member, textMember } from '../lib/member.ts';
import type { ChatEntry } from '../store/schema.ts';
import { MOST_AT_ONCE, MOST_TEXT } from './limits.ts';

/*
 * What the page and the service say to each other, a JSON object a frame. What the page sends `do`es something;
 * what the service sends `is` something.
 */

export type Asked =
  /** First of all. With `after`, it goes on after that version; without, it begins with the last entries. */
  | { do: 'hello'; after?: number }
  /** The entries before one that is known. */
  | { do: 'earlier'; before: number }
  /** Under a key of the page's own: said again under the same, it is there once. */
  | { do: 'say'; key: string; text: string; files: readonly string[] }
  /** Presses a button of an entry, by its place among them. */
  | { do: 'press'; key: string; entry: number; button: number }
  /** All of the application's up to there has come, or was seen. */
  | { do: 'delivered' | 'read'; number: number };

export interface ShownEntry {
  number: number;
  version: number;
  by: ChatEntry['author'];
  at: number;
  /** Under what key the page said it. */
  key?: string;
  reply?: number;
  isChanged?: true;
  /** Null once it was taken back. */
  body: unknown;
}

export type Told =
  | {
      is: 'history';
      entries: readonly ShownEntry[];
      /** Whether there are others before them. */
      isMore: boolean;
      version: number;
      /** How far the visitor has seen what the application said. */
      read: number;
    }
  | { is: 'earlier'; entries: readonly ShownEntry[]; isMore: boolean }
  | { is: 'entry'; entry: ShownEntry }
  /** It goes on where it was: all that was missed has been told. */
  | { is: 'resumed' }
  | { is: 'said'; key: string; number: number }
  /** With seconds, it may be tried again after them; without, never. */
  | { is: 'refused'; key: string; why: string; seconds?: number }
  /** For so long, unless something is said before. */
  | { is: 'typing'; seconds: number };

const KEY = /^[A-Za-z0-9_-]{16,64}$/;
const FILE = /^[A-Za-z0-9_-]{22}$/;

/** What the page asks for; undefined when that cannot be told. */
export function readFrame(text: string): Asked | undefined {
  const frame = parsed(text);
  switch (textMember(frame, 'do')) {
    case 'hello': {
      const after = placeIn(frame, 'after');
      return { do: 'hello', ...(after !== undefined && { after }) };
    }
    case 'earlier': {
      const before = placeIn(frame, 'before');
      return before === undefined ? undefined : { do: 'earlier', before };
    }
    case 'say':
      return readSaid(frame);
    case 'press': {
      const key = keyIn(frame);
      const entry = placeIn(frame, 'entry');
      const button = placeIn(frame, 'button');
      if (key === undefined || entry === undefined || button === undefined) return undefined;
      return { do: 'press', key, entry, button };
    }
    case 'delivered':
    case 'read': {
      const number = placeIn(frame, 'number');
      const what = textMember(frame, 'do') === 'read' ? 'read' : 'delivered';
      return number === undefined ? undefined : { do: what, number };
    }
    default:
      return undefined;
  }
}

function readSaid(frame: unknown): Asked | undefined {
  const key = keyIn(frame);
  const text = textMember(frame, 'text')?.trim() ?? '';
  const files = listMember(frame, 'files').filter((id) => typeof id === 'string');
  if (key === undefined || text.length > MOST_TEXT || files.length > MOST_AT_ONCE) return undefined;
  if (!files.every((id) => FILE.test(id)) || (text === '' && files.length === 0)) return undefined;
  return { do: 'say', key, text, files: [...new Set(files)] };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function keyIn(frame: unknown): string | undefined {
  const key = textMember(frame, 'key');
  return key !== undefined && KEY.test(key) ? key : undefined;
}

function placeIn(frame: unknown, name: string): number | undefined {
  const place = member(frame, name);
  return typeof place === 'number' && Number.isSafeInteger(place) && place >= 0 ? place : undefined;
}

/** What a visitor's entry is called outside, by the key that the page gave it. */
export const entryId = (visitor: string, key: string) => `${visitor}:${key}`;

export function shown(entry: ChatEntry): ShownEntry {
  const { number, version, author, visitor, id, reply, body, changedAt, createdAt } = entry;
  return {
    number,
    version,
    by: author,
    at: createdAt,
    ...(author === 'visitor' && { key: id.slice(entryId(visitor, '').length) }),
    ...(reply !== null && { reply }),
    ...(changedAt !== null && { isChanged: true }),
    body: body === null ? null : (JSON.parse(body) as unknown),
  };
}
