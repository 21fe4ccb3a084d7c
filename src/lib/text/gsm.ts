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
    const room = SEPTETS.get(character);
    if (room === undefined) return undefined;
    length += room;
  }
  return length;
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
 * a header.
 */
export function segmentsOf(text: string): Segments {
  const length = gsmLength(text);
  if (length !== undefined) {
    return { encoding: 'GSM-7', count: length <= 160 ? 1 : Math.ceil(length / 153), because: [] };
  }
  const others = new Set(Array.from(text).filter((character) => !SEPTETS.has(character)));
  return {
    encoding: 'UCS-2',
    count: text.length <= 70 ? 1 : Math.ceil(text.length / 67),
    because: [...others].slice(0, MAX_REASONS),
  };
}
