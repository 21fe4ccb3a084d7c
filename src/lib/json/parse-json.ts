import { storable } from '../text/storable.ts';

/*
 * Parses untrusted JSON. JSON.parse alone rounds large integers, keeps the last of duplicate keys, accepts
 * `__proto__` as a key and has no depth limit.
 */

type JsonFault =
  | 'syntax'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'too_deep'
  | 'too_many'
  | 'bad_text';

export class JsonError extends Error {
  override name = 'JsonError';
  readonly fault: JsonFault;
  /** RFC 6901 pointer to the problem; absent if it concerns the whole text. */
  readonly pointer: string | undefined;

  constructor(fault: JsonFault, message: string, path?: readonly (string | number)[]) {
    super(message);
    this.fault = fault;
    this.pointer = path && pointerTo(path);
  }
}

export const MAX_DEPTH = 32;
/** Parsing time grows with the number of values and members rather than with bytes, so these are limited too. */
export const MAX_VALUES = 50_000;
export const MAX_MEMBERS = 1_000;
/** If an integer exceeds 2^53, the parser visits every value, which is slower. */
export const MAX_VALUES_BESIDE_LONG_NUMBERS = 5_000;

/** Within these, parsing takes at most about 50 ms. */
const LENIENT_LIMITS = { depth: 1_000, values: 100_000, members: 20_000 };

const FORBIDDEN_KEY = '__proto__';
/** Integers with fewer digits are below 2^53. */
const LONG_NUMBER_DIGITS = 16;

export function pointerTo(path: readonly (string | number)[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * Parses JSON. Returns integers beyond 2^53 as BigInt. Rejects, with a pointer to the place: duplicate keys,
 * `__proto__`, NUL, lone surrogates, and anything beyond MAX_DEPTH, MAX_VALUES or MAX_MEMBERS.
 */
export function parseJson(text: string): unknown {
  const { depth, colons, digits, values, members } = measure(text);
  if (depth > MAX_DEPTH) {
    throw new JsonError('too_deep', `nested more than ${MAX_DEPTH} levels deep`);
  }
  const maxValues = digits >= LONG_NUMBER_DIGITS ? MAX_VALUES_BESIDE_LONG_NUMBERS : MAX_VALUES;
  if (values > maxValues) throw new JsonError('too_many', `it has more than ${maxValues} values`);
  if (members > MAX_MEMBERS) {
    throw new JsonError('too_many', `an object with more than ${MAX_MEMBERS} members`);
  }
  const value = valueIn(text, digits >= LONG_NUMBER_DIGITS);
  const bad = mayHaveBadText(text) ? badTextIn(value) : undefined;
  if (bad) throw new JsonError(bad.fault, bad.message, bad.path);
  if (countKeys(value) !== colons) refuseDuplicateKeys(text);
  return value;
}

/**
 * Parses JSON that may contain what strangers wrote, and must not be refused for it: replaces NUL and lone surrogates,
 * omits `__proto__` and what is nested too deeply, and takes the last of duplicate keys. Undefined if it is not JSON or
 * exceeds LENIENT_LIMITS.
 */
export function parseLenientJson(text: string): unknown {
  const { depth, digits, values, members } = measure(text);
  if (depth > LENIENT_LIMITS.depth || values > LENIENT_LIMITS.values) return undefined;
  if (members > LENIENT_LIMITS.members) return undefined;
  const isExact = digits >= LONG_NUMBER_DIGITS && values <= MAX_VALUES_BESIDE_LONG_NUMBERS;
  try {
    const value = valueIn(text, isExact);
    const isBad = depth > MAX_DEPTH || (mayHaveBadText(text) && badTextIn(value) !== undefined);
    return isBad ? repaired(value) : value;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function repaired(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => repaired(item, depth + 1));
  const entries = Object.entries(value).filter(([key]) => key !== FORBIDDEN_KEY);
  return Object.fromEntries(
    entries.map(([key, item]) => [storable(key), repaired(item, depth + 1)]),
  );
}

function valueIn(text: string, isExact: boolean): unknown {
  try {
    return isExact ? JSON.parse(text, reviveIntegers) : JSON.parse(text);
  } catch (error) {
    throw new JsonError('syntax', error instanceof Error ? error.message : String(error));
  }
}

const mayHaveBadText = (text: string) => text.includes(FORBIDDEN_KEY) || text.includes('\\u');

function reviveIntegers(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== 'number' || !context || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

interface Measure {
  depth: number;
  /** Number of keys written. */
  colons: number;
  /** Digits of the longest number. */
  digits: number;
  /** Upper bound of the number of values. */
  values: number;
  /** Members of the largest object. */
  members: number;
}

/**
 * Members of each open object, by depth. Deeper levels are rejected anyway. Allocated once: `measure` is synchronous.
 */
const open = new Uint32Array(MAX_DEPTH + 1);

function measure(text: string): Measure {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let values = 1;
  let members = 0;
  let run = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) {
      if (++run > digits) digits = run;
      continue;
    }
    run = 0;
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) {
      colons++;
      const count = (open[depth] ?? 0) + 1;
      open[depth] = count;
      if (count > members) members = count;
    } else if (code === COMMA) values++;
    else if (code === 123 || code === 91) {
      values++;
      if (++depth > deepest) deepest = depth;
      open[depth] = 0;
    } else if (code === 125 || code === 93) depth--;
  }
  return { depth: deepest, colons, digits, values, members };
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const key in value) count += 1 + countKeys((value as Record<string, unknown>)[key]);
  return count;
}

interface BadText {
  fault: JsonFault;
  message: string;
  /** From the root to the value; each level prepends its step while the recursion unwinds. */
  path: (string | number)[];
}

function badTextIn(value: unknown): BadText | undefined {
  if (typeof value === 'string') return badString(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const bad = badTextIn(item);
      if (bad) return { ...bad, path: [i, ...bad.path] };
    }
    return undefined;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === FORBIDDEN_KEY) {
      return { fault: 'forbidden_key', message: `the key "${key}" is not allowed`, path: [key] };
    }
    const bad = badString(key) ?? badTextIn(item);
    if (bad) return { ...bad, path: [key, ...bad.path] };
  }
  return undefined;
}

function badString(text: string): BadText | undefined {
  const fault = 'bad_text';
  if (text.includes('\0')) return { fault, message: 'NUL character', path: [] };
  if (text.isWellFormed()) return undefined;
  return { fault, message: 'it contains a lone surrogate', path: [] };
}

/** Finds the duplicate, in valid JSON that writes more keys than the parsed value holds. */
function refuseDuplicateKeys(text: string): never {
  const stack: { keys: Set<string>; at: string | number }[] = [];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const top = stack.at(-1);
    if (code === 123) stack.push({ keys: new Set(), at: '' });
    else if (code === 91) stack.push({ keys: new Set(), at: 0 });
    else if (code === 125 || code === 93) stack.pop();
    else if (code === COMMA && top && typeof top.at === 'number') top.at++;
    else if (code === QUOTE) {
      const end = endOfString(text, i);
      if (top && typeof top.at === 'string' && isBeforeColon(text, end + 1)) {
        const key = unquote(text, i, end);
        top.at = key;
        if (top.keys.has(key)) {
          const path = stack.map((level) => level.at);
          throw new JsonError('duplicate_key', `the key "${key}" occurs more than once`, path);
        }
        top.keys.add(key);
      }
      i = end;
    }
  }
  throw new JsonError('duplicate_key', 'a key occurs more than once');
}

/** The string between two quotes. Calls JSON.parse only for escapes, because it is slow for many short strings. */
function unquote(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner;
}

function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  // In valid JSON, only white space is at or below this code.
  while (text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === COLON;
}

/**
 * The source text of one member of a parsed object. If there is only one member, it is the text between the first
 * colon and the last brace, so no search is needed.
 */
export function rawMember(text: string, value: object, key: string): string {
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === key && !key.includes(':') && !key.includes('\\')) {
    return text.slice(text.indexOf(':') + 1, text.lastIndexOf('}')).trim();
  }
  return rawMembers(text).get(key) ?? '';
}

/** The source text of each member of an object, or each item of an array. The text must have passed `parseJson`. */
export function rawMembers(text: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let key: string | undefined;
  let start = 0;
  const keep = (end: number) => {
    const raw = text.slice(start, end).trim();
    if (raw) members.set(key ?? String(members.size), raw);
  };
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === 123 || code === 91) {
      if (++depth === 1) start = i + 1;
    } else if (code === 125 || code === 93) {
      if (--depth === 0) keep(i);
    } else if (depth === 1 && code === COLON) {
      key = JSON.parse(text.slice(start, i)) as string;
      start = i + 1;
    } else if (depth === 1 && code === 44) {
      keep(i);
      key = undefined;
      start = i + 1;
    }
  }
  return members;
}
