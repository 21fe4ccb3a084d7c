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
