import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type Keyword, keywordIn } from './keywords.ts';

const CASES: readonly (readonly [string, Keyword | undefined])[] = [
  ['STOP', 'stop'],
  ['stop', 'stop'],
  [' Stop. ', 'stop'],
  ['"STOP"!', 'stop'],
  ['Stop all', 'stop'],
  ['ＳＴＯＰ', 'stop'],
  ['Arrêt', 'stop'],
  ['ARRET', 'stop'],
  ['Désabonner', 'stop'],
  ['stopp', 'stop'],
  ['İPTAL', 'stop'],
  ['iptal', 'stop'],
  ['إيقاف', 'stop'],
  ['रोकें', 'stop'],
  ['配信停止', 'stop'],
  ['START', 'start'],
  ['Başla', 'start'],
  ['wznów', 'start'],
  ['começar', 'start'],
  ['Help', 'help'],
  ['YARDIM', 'help'],
  ['yardım', 'help'],
  ['Please do not stop', undefined],
  ['stop it', undefined],
  ['nonstop', undefined],
  ['', undefined],
  ['...', undefined],
  ['yes', undefined],
  [`stop${' '.repeat(100)}`, undefined],
];

it('only a message that is a keyword and nothing else counts as one', () => {
  for (const [text, keyword] of CASES) assert.equal(keywordIn(text)?.keyword, keyword, text);
});
