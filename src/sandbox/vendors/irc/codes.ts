import type { Look, Run } from '../../../lib/rich-text/rich-text.ts';
import { type ShownContent, shownText } from '../../shown.ts';

/* Formatting codes, each of which switches a look on or off. https://modern.ircdocs.horse/formatting */

const LOOKS = {
  '\u0002': 'bold',
  '\u001d': 'italic',
  '\u001e': 'strike',
  '\u0011': 'code',
} as const;
const RESET = '\u000f';

function isLook(code: string): code is keyof typeof LOOKS {
  return Object.hasOwn(LOOKS, code);
}

export function readCodes(text: string): Pick<ShownContent, 'text' | 'runs'> {
  const runs: Run[] = [];
  let look: Look = {};
  for (const piece of piecesOf(text)) {
    if (piece === RESET) look = {};
    else if (isLook(piece)) {
      const { [LOOKS[piece]]: isOn, ...others } = look;
      look = isOn ? others : { ...look, [LOOKS[piece]]: true };
    } else if (piece !== '') runs.push({ text: piece, look });
  }
  return shownText(runs);
}

/** The codes, and the texts between them. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let plain = '';
  for (const character of text) {
    if (character !== RESET && !isLook(character)) plain += character;
    else {
      pieces.push(plain, character);
      plain = '';
    }
  }
  return [...pieces, plain];
}
