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
  ['Red', undefined],
  [`stop${' '.repeat(100)}`, undefined],
];

/** A word of each language, which no other language here has: language, stop, start, help. */
const LANGUAGES: readonly (readonly [string, string, string, string])[] = [
  ['en', 'Unsubscribe', 'Subscribe', 'Help'],
  ['es', 'Baja', 'Alta', 'Ayuda'],
  ['fr', 'Désinscrire', 'Reprendre', 'Aide'],
  ['de', 'Abmelden', 'Anmelden', 'Hilfe'],
  ['it', 'Ferma', 'Avvia', 'Aiuto'],
  ['pt', 'Sair', 'Começar', 'Ajuda'],
  ['nl', 'Uitschrijven', 'Hervatten', 'Hulp'],
  ['pl', 'Rezygnuję', 'Wznów', 'Pomoc'],
  ['tr', 'Ret', 'Başla', 'Yardım'],
  ['ar', 'إلغاء', 'اشتراك', 'مساعدة'],
  ['hi', 'बंद करें', 'शुरू करें', 'सहायता'],
  ['ja', '解除', '再開', 'ヘルプ'],
];

for (const [language, ...words] of LANGUAGES) {
  it(`${language} has words for stop, start and help`, () => {
    const found = words.map((word) => keywordIn(word));
    assert.deepEqual(
      found.map((one) => [one?.language, one?.keyword]),
      [
        [language, 'stop'],
        [language, 'start'],
        [language, 'help'],
      ],
    );
  });
}

it('only a message that is a keyword and nothing else counts as one', () => {
  for (const [text, keyword] of CASES) assert.equal(keywordIn(text)?.keyword, keyword, text);
});
