/*
 * JSON as it comes from strangers. JSON.parse alone would round large integers, keep the last of
 * several equal keys, take `__proto__` for a key like any other, and go as deep as it is led.
 */

export type JsonFault = 'syntax' | 'duplicate_key' | 'forbidden_key' | 'too_deep' | 'bad_text';

export class JsonError extends Error {
  override name = 'JsonError';
  readonly fault: JsonFault;
  /** RFC 6901 pointer to what is wrong; absent when it is the text as a whole. */
  readonly pointer: string | undefined;

  constructor(fault: JsonFault, message: string, path?: readonly (string | number)[]) {
    super(message);
    this.fault = fault;
    this.pointer = path && pointerTo(path);
  }
}

export const MAX_DEPTH = 32;

const FORBIDDEN_KEY = '__proto__';
/** Integers of fewer digits are below 2^53. */
const LONG_NUMBER = 16;

export function pointerTo(path: readonly (string | number)[]): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/**
 * Parses JSON. Integers beyond 2^53 come as BigInt; keys given twice, `__proto__`, more than
 * MAX_DEPTH levels, NUL and lone surrogates are refused with a pointer to the place.
 */
export function parseJson(text: string): unknown {
  const { depth, colons, digits } = measure(text);
  if (depth > MAX_DEPTH) {
    throw new JsonError('too_deep', `it is nested more than ${MAX_DEPTH} levels deep`);
  }
  let value: unknown;
  try {
    value = digits >= LONG_NUMBER ? JSON.parse(text, reviveIntegers) : JSON.parse(text);
  } catch (error) {
    throw new JsonError('syntax', error instanceof Error ? error.message : String(error));
  }
  if (text.includes(FORBIDDEN_KEY) || text.includes('\\u')) refuseBadText(value, []);
  if (countKeys(value) !== colons) refuseDuplicateKeys(text);
  return value;
}

function reviveIntegers(_key: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== 'number' || !context || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** One pass over the text: how deep it nests, how many keys it writes, how long its longest number is. */
function measure(text: string): { depth: number; colons: number; digits: number } {
  let depth = 0;
  let deepest = 0;
  let colons = 0;
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
    else if (code === COLON) colons++;
    else if (code === 123 || code === 91) {
      if (++depth > deepest) deepest = depth;
    } else if (code === 125 || code === 93) depth--;
  }
  return { depth: deepest, colons, digits };
}

/** The index of the quote that ends the string that begins at `start`. */
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

function refuseBadText(value: unknown, path: readonly (string | number)[]): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw new JsonError('bad_text', 'it contains a NUL character', path);
    if (!value.isWellFormed()) {
      throw new JsonError('bad_text', 'it contains half of a surrogate pair', path);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const step = Array.isArray(value) ? Number(key) : key;
      if (key === FORBIDDEN_KEY) {
        throw new JsonError('forbidden_key', `the key "${key}" is not allowed`, [...path, key]);
      }
      refuseBadText(key, [...path, step]);
      refuseBadText(item, [...path, step]);
    }
  }
}

/** Only called for text that is valid JSON and writes more keys than it holds. */
function refuseDuplicateKeys(text: string): never {
  const stack: { keys: Set<string>; at: string | number }[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    const top = stack.at(-1);
    if (char === '{') stack.push({ keys: new Set(), at: '' });
    else if (char === '[') stack.push({ keys: new Set(), at: 0 });
    else if (char === '}' || char === ']') stack.pop();
    else if (char === ',' && top && typeof top.at === 'number') top.at++;
    else if (char === '"') {
      const end = endOfString(text, i);
      if (
        top &&
        typeof top.at === 'string' &&
        text
          .slice(end + 1)
          .trimStart()
          .startsWith(':')
      ) {
        const key = JSON.parse(text.slice(i, end + 1)) as string;
        top.at = key;
        if (top.keys.has(key)) {
          const path = stack.map((level) => level.at);
          throw new JsonError('duplicate_key', `the key "${key}" is given more than once`, path);
        }
        top.keys.add(key);
      }
      i = end;
    }
  }
  throw new JsonError('duplicate_key', 'a key is given more than once');
}

/**
 * One member of the object that `parseJson` made of the text, as the text wrote it. An object with a
 * single member needs no search: it is what stands between the first colon and the last brace.
 */
export function rawMember(text: string, value: object, key: string): string {
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === key && !key.includes(':') && !key.includes('\\')) {
    return text.slice(text.indexOf(':') + 1, text.lastIndexOf('}')).trim();
  }
  return rawMembers(text).get(key) ?? '';
}

/**
 * The members of a JSON object, or the items of an array, as the text wrote them. For text that
 * `parseJson` has taken.
 */
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
