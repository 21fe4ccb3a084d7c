import type { ShownContent, ShownRun } from '../../shown.ts';
import { readSimpleMarkup } from '../simple-markup.ts';

/*
 * Rocket.Chat's markup: *bold*, _italic_, ~strike~, `code`, [link](address); a backslash escapes.
 * https://docs.rocket.chat/docs/markdown
 */

/** Escaped characters are moved out of reach, into the private use area. */
const OFFSET = 0xe000;
const hidden = (text: string) =>
  text.replaceAll(/\\([*_~`#.<])/g, (_, character: string) =>
    String.fromCharCode(OFFSET + character.charCodeAt(0)),
  );
const restored = (text: string) =>
  text.replaceAll(/[\ue000-\ue07f]/g, (character) =>
    String.fromCharCode(character.charCodeAt(0) - OFFSET),
  );

const LINK = /\[([^\]\n]{1,500})\]\(([^\s()]{1,2000})\)/;

export function readRocketChat(written: string): Pick<ShownContent, 'text' | 'runs'> {
  const { text = '', runs = [{ text }] } = readSimpleMarkup(hidden(written));
  if (written === '') return {};
  const all = runs.flatMap((run) => (run.code ? [run] : withLinks(run)));
  for (const run of all) run.text = restored(run.text);
  const characters = all.map((run) => run.text).join('');
  const isPlain = all.every((run) => Object.keys(run).length === 1);
  return { text: characters, ...(!isPlain && { runs: all }) };
}

function withLinks(run: ShownRun): ShownRun[] {
  const match = LINK.exec(run.text);
  if (!match) return run.text === '' ? [] : [{ ...run }];
  const [whole, label = '', link = ''] = match;
  return [
    ...withLinks({ ...run, text: run.text.slice(0, match.index) }),
    { ...run, text: label, link },
    ...withLinks({ ...run, text: run.text.slice(match.index + whole.length) }),
  ];
}
