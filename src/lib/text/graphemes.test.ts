import assert from 'node:assert/strict';
import { it } from 'node:test';

import { countGraphemes } from './graphemes.ts';

it('counts user-perceived characters', () => {
  for (const [text, count] of [
    ['', 0],
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['👨‍👩‍👧‍👦', 1],
    ['👍🏽', 1],
    ['🇫🇷🇩🇪', 2],
    ['नमस्ते', 3],
    ['日本語', 3],
    ['a\r\nb', 3],
    [' ', 1],
  ] as const) {
    assert.equal(countGraphemes(text), count, JSON.stringify(text));
  }
});
