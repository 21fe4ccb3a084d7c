import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { readMarkdown } from './readers.ts';
import { type Look, type RichText, charactersOf, joined, unstyled } from './rich-text.ts';
import { escapeMarkdown, toHtml, toMarkdown } from './writers.ts';

describe('writing HTML', () => {
  const rich = readMarkdown('**a** *b* ~~c~~ `d` [e](https://example.com/)');
  const link = '<a href="https://example.com/">e</a>';

  it('HTML has an element for each kind of formatting', () => {
    assert.equal(toHtml(rich), `<b>a</b> <i>b</i> <s>c</s> <code>d</code> ${link}`);
  });

  it('HTML has only the chosen elements, and all of the text', () => {
    assert.equal(toHtml(rich, '<br>', ['b', 'i']), `<b>a</b> <i>b</i> c d ${link}`);
    const block = readMarkdown('```\na < b\n```');
    assert.equal(toHtml(block, '\n', []).trim(), 'a &lt; b');
  });
});

describe('writing Markdown', () => {
  for (const [text, escaped] of [
    ['*a* _b_ `c` ~d~ |e|', '\\*a\\* \\_b\\_ \\`c\\` \\~d\\~ \\|e\\|'],
    ['[a](b) <c> \\', '\\[a\\](b) \\<c> \\\\'],
    ['# a\n  - b\n+ c\n> d', '\\# a\n  \\- b\n\\+ c\n\\> d'],
    ['1. a\n 22) b', '1\\. a\n 22\\) b'],
    ['&lt; &#38; &c', '\\&lt; \\&#38; &c'],
    ['a\n===\n---\n=a= ==', 'a\n\\===\n\\---\n=a= =='],
    ['a # b - c + d > e 1. f 2) g!', 'a # b - c + d > e 1. f 2) g!'],
  ] as const) {
    it(`escapes ${JSON.stringify(text)}`, () => {
      assert.equal(escapeMarkdown(text), escaped);
    });
  }

  it('leaves spaces at the ends of a run outside its delimiters', () => {
    const rich = [{ text: ' a \t\n  b\n', look: { bold: true } }] as const;
    assert.equal(toMarkdown(rich), ' **a** \t\n  **b**\n');
  });

  it('does not escape indented code, where it would be visible', () => {
    const rich = [
      ...unstyled('    a_b\n \tc\n'),
      { text: '    d\n  e', look: { bold: true } },
    ] as const;
    assert.equal(toMarkdown(rich), '    a_b\n \tc\n    **d**\n  **e**');
  });

  it('writes delimiters that work next to punctuation, and drops those next to other delimiters', () => {
    const bold = (text: string) => ({ text, look: { bold: true } }) as const;
    for (const [rich, written] of [
      [[bold('Note:'), ...unstyled('text')], '**Note:**&#116;ext'],
      [[...unstyled('text'), bold('(a)')], 'tex&#116;**(a)**'],
      [[bold('Note:'), ...unstyled(' text')], '**Note:** text'],
      [[bold('a'), ...unstyled('b')], '**a**b'],
      [[bold('a'), { text: 'b', look: { bold: true, italic: true } }], '**a**b'],
      [[...unstyled('a!'), { text: 'b', look: { link: 'https://c.d' } }], 'a\\![b](<https://c.d>)'],
    ] as const) {
      assert.equal(toMarkdown(rich), written);
    }
  });

  it('reads back the same, for any neighboring runs', () => {
    const words = fc.stringMatching(/^[ab1 .:(&;=*_~`!#\n-]{1,6}$/);
    const looks = fc.record<Look>(
      {
        bold: fc.constant(true),
        italic: fc.constant(true),
        strike: fc.constant(true),
        link: fc.constant('https://c.d/?e=f'),
      },
      { requiredKeys: [] },
    );
    const runs = fc.array(fc.record({ text: words, look: looks }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(runs, (rich) => {
        const written = toMarkdown(rich);
        const read = readMarkdown(written);
        const seen = (each: RichText) => charactersOf(each).replaceAll(/\s/g, '');
        assert.equal(seen(read), seen(rich), written);
        if (!isTouching(rich)) assert.equal(visible(read), visible(rich), written);
      }),
      { numRuns: 2000 },
    );
  });

  it('writes a URL bare only if it is one word', () => {
    const link = 'https://a.b/c_d_e';
    assert.equal(toMarkdown([{ text: link, look: { link } }]), link);
    const bad = 'https://a.b/ *c*';
    const rich = [{ text: bad, look: { link: bad } }];
    assert.equal(toMarkdown(rich), '[https://a.b/ \\*c\\*](<https://a.b/%20*c*>)');
  });

  for (const [what, text] of [
    ['many delimiters in one line', '-)'.repeat(500_000)],
    ['many spaces within a line', `a${' '.repeat(1_000_000)}b`],
  ] as const) {
    it(`is fast: ${what}`, () => {
      const elapsedMs = cpuMs(() => toMarkdown([{ text, look: { bold: true } }]));
      // Takes milliseconds; with backtracking it took minutes.
      assert.ok(elapsedMs < 5000, `${elapsedMs} ms`);
    });
  }
});

/** Whether delimiters would touch, which Markdown cannot express. */
function isTouching(rich: RichText): boolean {
  const isSigned = ({ bold, italic, strike }: Look) => bold ?? italic ?? strike ?? false;
  return rich.some(({ look }, i) => isSigned(look) && isSigned(rich[i - 1]?.look ?? {}));
}

/** The visible text: each character with its style, without spaces. */
function visible(rich: RichText): string {
  return joined(rich.map(({ text, look }) => ({ text: text.replaceAll(/\s/g, ''), look })))
    .map(({ text, look }) => `${Object.keys(look).toSorted().join('+')}(${text})`)
    .join('');
}
