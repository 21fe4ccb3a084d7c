/*
 * The alphabet of text messages. 3GPP TS 23.038, sections 6.2.1 and 6.2.1.1: of the second set, each character
 * takes the room of two.
 */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

const ROOM = new Map([
  ...BASIC.split('').map((character) => [character, 1] as const),
  ...EXTENDED.split('').map((character) => [character, 2] as const),
]);

/** How many places a text takes in that alphabet; undefined when it has others than these characters. */
export function gsmLength(text: string): number | undefined {
  let length = 0;
  for (const character of text) {
    const room = ROOM.get(character);
    if (room === undefined) return undefined;
    length += room;
  }
  return length;
}

export interface Segments {
  encoding: 'GSM-7' | 'UCS-2';
  count: number;
  /** The characters that are not in that alphabet, each once. */
  because: string[];
}

const MAX_REASONS = 10;

/** How many text messages it is. 3GPP TS 23.040, section 9.2.3.24.1: in each of several, the header takes some room. */
export function segmentsOf(text: string): Segments {
  const length = gsmLength(text);
  if (length !== undefined) {
    return { encoding: 'GSM-7', count: length <= 160 ? 1 : Math.ceil(length / 153), because: [] };
  }
  const others = new Set(Array.from(text).filter((character) => !ROOM.has(character)));
  return {
    encoding: 'UCS-2',
    count: text.length <= 70 ? 1 : Math.ceil(text.length / 67),
    because: [...others].slice(0, MAX_REASONS),
  };
}
