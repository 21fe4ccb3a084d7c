import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { escapeMarkdown, toMarkdown } from './rich-writers.ts';

describe('Markdown', () => {
  for (const [text, escaped] of [
    ['*a* _b_ `c` ~d~ |e|', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\|e\\|'],
    ['[a](b) <c> \\', '\\[a\\](b) \\<c> \\\\'],
    ['# a\n  - b\n+ c\n> d', '\\# a\n  \\- b\n\\+ c\n\\> d'],
    ['1. a\n 22) b', '1\\. a\n 22\\) b'],
    ['a # b - c + d > e 1. f 2) g!', 'a # b - c + d > e 1. f 2) g!'],
  ] as const) {
    it(`escapes ${JSON.stringify(text)}`, () => {
      assert.equal(escapeMarkdown(text), escaped);
    });
  }

  it('leaves spaces at the borders of a run outside of its signs', () => {
    const rich = [{ text: ' \ta \n b\n', look: { bold: true } }] as const;
    assert.equal(toMarkdown(rich), ' \t**a** \n **b**\n');
  });

  for (const [what, text] of [
    ['a great many signs in one line', '-)'.repeat(500_000)],
    ['a great many spaces within a line', `a${' '.repeat(1_000_000)}b`],
  ] as const) {
    it(`is written in little time: ${what}`, () => {
      const started = performance.now();
      toMarkdown([{ text, look: { bold: true } }]);
      // It took minutes before; it takes milliseconds.
      assert.ok(performance.now() - started < 5000);
    });
  }
});
