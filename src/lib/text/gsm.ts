/*
 * The GSM 7-bit alphabet. 3GPP TS 23.038, sections 6.2.1 and 6.2.1.1: characters of the extension table take two
 * places.
 */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

const SEPTETS = new Map([
  ...BASIC.split('').map((character) => [character, 1] as const),
  ...EXTENDED.split('').map((character) => [character, 2] as const),
]);

/** The length of a text in septets; undefined if it has characters outside the alphabet. */
export function gsmLength(text: string): number | undefined {
  let length = 0;
  for (const character of text) {
    const septets = SEPTETS.get(character);
    if (septets === undefined) return undefined;
    length += septets;
  }
  return length;
}

/** Switches to the extension table for one character. */
const ESCAPE = 0x1b;
const CODES = new Map(BASIC.split('').map((one, i) => [one, i < ESCAPE ? i : i + 1] as const));
const EXTENDED_CODES = new Map(
  [0x0a, 0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65].map(
    (code, i) => [EXTENDED.charAt(i), code] as const,
  ),
);
const CHARACTERS = new Map(CODES.entries().map(([one, code]) => [code, one] as const));
const EXTENDED_CHARACTERS = new Map(
  EXTENDED_CODES.entries().map(([one, code]) => [code, one] as const),
);

/** The codes of a text within the alphabet, one byte each, not packed. */
export function encodeGsm(text: string): Buffer {
  const codes = Array.from(text).flatMap((one) => {
    const extended = EXTENDED_CODES.get(one);
    return extended === undefined ? [CODES.get(one) ?? 0x3f] : [ESCAPE, extended];
  });
  return Buffer.from(codes);
}

/** Reads codes of one byte each. An unknown code is a replacement character. */
export function decodeGsm(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    const isEscaped = bytes[i] === ESCAPE && i + 1 < bytes.length;
    const table = isEscaped ? EXTENDED_CHARACTERS : CHARACTERS;
    if (isEscaped) i++;
    text += table.get(bytes[i] ?? 0) ?? '\ufffd';
  }
  return text;
}

export interface Segments {
  encoding: 'GSM-7' | 'UCS-2';
  count: number;
  /** The distinct characters outside the alphabet, which force UCS-2. */
  because: string[];
}

const MAX_REASONS = 10;

/**
 * The number of SMS segments. 3GPP TS 23.040, section 9.2.3.24.1: in a multipart message, each segment loses space to
 * a header, and no segment ends within a character.
 */
export function segmentsOf(text: string): Segments {
  const characters = Array.from(text);
  const others = new Set(characters.filter((character) => !SEPTETS.has(character)));
  if (others.size === 0) {
    const lengths = characters.map((character) => SEPTETS.get(character) ?? 1);
    return { encoding: 'GSM-7', count: countSegments(lengths, 160, 153), because: [] };
  }
  return {
    encoding: 'UCS-2',
    count: countSegments(
      characters.map(({ length }) => length),
      70,
      67,
    ),
    because: [...others].slice(0, MAX_REASONS),
  };
}

/** The number of segments for characters of these lengths: one of up to `single`, or several of up to `multiple` each. */
function countSegments(lengths: readonly number[], single: number, multiple: number): number {
  if (lengths.reduce((sum, length) => sum + length, 0) <= single) return 1;
  let count = 1;
  let used = 0;
  for (const length of lengths) {
    if (used + length > multiple) {
      count++;
      used = 0;
    }
    used += length;
  }
  return count;
}
