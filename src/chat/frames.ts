import { listMember, member, textMember } from '../lib/json/json-member.ts';
import { parseLenientJson } from '../lib/json/parse-json.ts';
import type { ChatEntry } from '../store/schema.ts';
import { MAX_FILES_PER_MESSAGE, MAX_TEXT_LENGTH } from './limits.ts';

/*
 * The protocol between page and service, one JSON object per frame. Frames from the page have `do`; frames from
 * the service have `is`.
 */

export type ClientFrame =
  /** The first frame. With `after`, continues after that version; otherwise starts with the latest entries. */
  | { do: 'hello'; after?: number }
  /** Requests entries before a known one. */
  | { do: 'earlier'; before: number }
  /** Sends a message under the page's own key: a repetition has no effect. */
  | { do: 'say'; key: string; text: string; files: readonly string[] }
  /** Presses a button of an entry, by index. */
  | { do: 'press'; key: string; entry: number; button: number }
  /** Acknowledges the application's entries up to a number. */
  | { do: 'delivered' | 'read'; number: number };

export interface ShownEntry {
  number: number;
  version: number;
  by: ChatEntry['author'];
  at: number;
  /** The page's key, for a message of the visitor. */
  key?: string;
  reply?: number;
  isChanged?: true;
  /** Null once deleted. */
  body: unknown;
}

export type ServerFrame =
  | {
      is: 'history';
      entries: readonly ShownEntry[];
      /** Whether earlier entries exist. */
      hasMore: boolean;
      version: number;
      /** The last entry that the visitor has read. */
      read: number;
    }
  | { is: 'earlier'; entries: readonly ShownEntry[]; hasMore: boolean }
  | { is: 'entry'; entry: ShownEntry }
  /** The page has received everything it missed. */
  | { is: 'resumed' }
  | { is: 'said'; key: string; number: number }
  /** With `seconds`, the page may retry after that time; otherwise never. */
  | { is: 'refused'; key: string; why: string; seconds?: number }
  /** Ends after this time, or with the next message. */
  | { is: 'typing'; seconds: number };

const KEY = /^[A-Za-z0-9_-]{16,64}$/;
const FILE = /^[A-Za-z0-9_-]{22}$/;

/** Parses a frame of the page; undefined if invalid. */
export function readFrame(text: string): ClientFrame | undefined {
  const frame = parseLenientJson(text);
  switch (textMember(frame, 'do')) {
    case 'hello': {
      const after = numberIn(frame, 'after');
      return { do: 'hello', ...(after !== undefined && { after }) };
    }
    case 'earlier': {
      const before = numberIn(frame, 'before');
      return before === undefined ? undefined : { do: 'earlier', before };
    }
    case 'say':
      return readMessage(frame);
    case 'press': {
      const key = keyIn(frame);
      const entry = numberIn(frame, 'entry');
      const button = numberIn(frame, 'button');
      if (key === undefined || entry === undefined || button === undefined) return undefined;
      return { do: 'press', key, entry, button };
    }
    case 'delivered':
    case 'read': {
      const number = numberIn(frame, 'number');
      const what = textMember(frame, 'do') === 'read' ? 'read' : 'delivered';
      return number === undefined ? undefined : { do: what, number };
    }
    default:
      return undefined;
  }
}

function readMessage(frame: unknown): ClientFrame | undefined {
  const key = keyIn(frame);
  const text = textMember(frame, 'text')?.trim() ?? '';
  const files = listMember(frame, 'files').filter((id) => typeof id === 'string');
  if (key === undefined || text.length > MAX_TEXT_LENGTH || files.length > MAX_FILES_PER_MESSAGE)
    return undefined;
  if (!files.every((id) => FILE.test(id)) || (text === '' && files.length === 0)) return undefined;
  return { do: 'say', key, text, files: [...new Set(files)] };
}

function keyIn(frame: unknown): string | undefined {
  const key = textMember(frame, 'key');
  return key !== undefined && KEY.test(key) ? key : undefined;
}

function numberIn(frame: unknown, name: string): number | undefined {
  const value = member(frame, name);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Public id of a visitor's entry, from the page's key. */
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
