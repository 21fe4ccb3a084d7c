import { decodeGsm, encodeGsm, gsmLength } from '../../lib/text/gsm.ts';

/*
 * Texts as segments. 3GPP TS 23.040, section 9.2.3.24.1: a segment has 140 bytes, that is 160 septets or 70 UTF-16
 * units; of several segments, each begins with a header of 6 bytes.
 */

const MAX_SEGMENTS = 10;
const SEPTETS = { alone: 160, each: 153 };
const UNITS = { alone: 70, each: 67 };

/** In septets. A character outside the GSM alphabet counts as several, so no text takes more segments. */
export const MAX_LENGTH = MAX_SEGMENTS * SEPTETS.each;

export const measure = (text: string): number =>
  gsmLength(text) ?? Math.ceil((text.length * SEPTETS.each) / UNITS.each);

interface EncodedText {
  isGsm: boolean;
  segments: Buffer[];
}

/** Encodes a text as one segment, or as several with headers. The reference tells messages to a phone apart. */
export function encodeText(text: string, reference: number): EncodedText {
  const isGsm = gsmLength(text) !== undefined;
  const { alone, each } = isGsm ? SEPTETS : UNITS;
  const size = isGsm ? (one: string) => gsmLength(one) ?? 0 : (one: string) => one.length;
  const encode = isGsm ? encodeGsm : encodeUcs2;
  if (size(text) <= alone) return { isGsm, segments: [encode(text)] };
  const pieces = splitBySize(text, each, size);
  const segments = pieces.map((piece, i) =>
    Buffer.concat([Buffer.of(5, 0, 3, reference, pieces.length, i + 1), encode(piece)]),
  );
  return { isGsm, segments };
}

/** Never splits a character, which may take two places. */
function splitBySize(text: string, max: number, size: (text: string) => number): string[] {
  const pieces: string[] = [];
  let [piece, length] = ['', 0];
  for (const character of text) {
    const more = size(character);
    if (length + more > max) {
      pieces.push(piece);
      [piece, length] = ['', 0];
    }
    piece += character;
    length += more;
  }
  return [...pieces, piece];
}

const encodeUcs2 = (text: string) => Buffer.from(text, 'utf16le').swap16();

const LATIN_1 = 0x03;
const ASCII = 0x01;
/** Bits of the data coding scheme that stand for UCS-2. 3GPP TS 23.038, section 4 */
const UCS_2 = 0x08;

/** Control characters in ASCII, but letters in the GSM alphabet: all except line breaks and tabs. */
const isGsmOnly = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0d].includes(byte);

/** Undefined for data that is not text. */
export function decodeText(bytes: Buffer, dataCoding: number): string | undefined {
  // Some servers send the GSM alphabet as ASCII.
  if (dataCoding === ASCII && bytes.some(isGsmOnly)) return decodeGsm(bytes);
  if (dataCoding === ASCII || dataCoding === LATIN_1) return bytes.toString('latin1');
  const isGeneral = dataCoding < 0x40 || dataCoding >= 0xf0;
  const alphabet = dataCoding >= 0xf0 ? dataCoding & 0x04 : dataCoding & 0x0c;
  if (isGeneral && alphabet === 0) return decodeGsm(bytes);
  if (!isGeneral || alphabet !== UCS_2) return undefined;
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return even.swap16().toString('utf16le');
}
