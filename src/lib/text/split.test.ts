import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { fc } from '../../../test/support/fast-check.ts';
import { type PartLimit, cut, split } from './split.ts';

const units = (max: number): PartLimit => ({ max, measure: (text) => text.length });
const bytes = (max: number): PartLimit => ({ max, measure: (text) => Buffer.byteLength(text) });

/** Characters that a careless cut breaks, and all kinds of places to cut at. */
const CHARACTERS = [
  ['a', 'b', 'Z', '7', '.', '!', '?', ',', ')', '"', '。', '！', '日', '語', '&', 'é'],
  ['e\u0301', 'o\u0308\u0323', '👍🏽', '👨‍👩‍👧‍👦', '🇫🇷', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '❤️', 'नि', 'स्ते', '각'],
  ['ש', 'לָ', 'مَ', '\u200f', '\u2067'],
  [' ', ' ', '  ', '\n', '\r\n', '\n\n', '\t', '\u00a0', '\u2028', '\u3000', ' \u0301'],
].flat();
const characters = fc.constantFrom(...CHARACTERS);
const texts = fc.array(characters, { maxLength: 200 }).map((all) => all.join(''));
/** The longest of these characters has 28 bytes. */
const limits = fc.integer({ min: 28, max: 300 }).map(bytes);

const solid = (text: string) => text.replaceAll(/\s/g, '');
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const bordersOf = (text: string) =>
  new Set([...segmenter.segment(text)].map(({ index }) => index)).add(text.length);

/** The position of each part in the text. */
function placesOf(parts: readonly string[], text: string): [number, number][] {
  let from = 0;
  return parts.map((part) => {
    const start = text.indexOf(part, from);
    assert.notEqual(start, -1, 'the part is not in the text');
    from = start + part.length;
    return [start, from];
  });
}

describe('split text', () => {
  const always = (property: (text: string, limit: PartLimit, parts: string[]) => void) =>
    fc.assert(
      fc.property(texts, limits, fc.boolean(), (text, limit, byLine) =>
        property(text, { ...limit, byLine }, split(text, { ...limit, byLine })),
      ),
      { numRuns: 1000 },
    );

  it('split text has no part that is too long or empty', () => {
    always((_, { max, measure }, parts) => {
      for (const part of parts) {
        assert.ok(measure(part) <= max);
        assert.notEqual(part, '');
      }
    });
  });

  it('loses nothing but white space', () => {
    always((text, _, parts) => assert.equal(solid(parts.join('')), solid(text)));
  });

  it('split text is cut between graphemes only', () => {
    always((text, _, parts) => {
      const borders = bordersOf(text);
      for (const [start, end] of placesOf(parts, text)) {
        assert.ok(borders.has(start) && borders.has(end), JSON.stringify({ text, start, end }));
      }
    });
  });

  it('keeps its order and is split the same way each time', () => {
    always((text, limit, parts) => {
      placesOf(parts, text);
      assert.deepEqual(split(text, limit), parts);
    });
  });

  it('split text has no line end in its parts when split by line', () => {
    always((_, { byLine }, parts) => {
      for (const part of parts) assert.ok(!byLine || !/[\r\n]/.test(part));
    });
  });

  it('split text has no more parts than its length requires, with a factor for preferred boundaries', () => {
    fc.assert(
      fc.property(texts, limits, (text, limit) => {
        const least = Math.ceil(limit.measure(text) / limit.max);
        assert.ok(split(text, limit).length <= 5 * least + 1);
      }),
    );
  });

  it('accepts any string, and a limit smaller than a family emoji', () => {
    const any = fc.oneof(texts, fc.string({ unit: 'binary', maxLength: 300 }));
    fc.assert(
      fc.property(any, fc.integer({ min: 4, max: 40 }), (text, max) => {
        const parts = split(text, bytes(max));
        for (const part of parts) {
          assert.ok(part !== '' && Buffer.byteLength(part) <= max);
          assert.ok(!text.isWellFormed() || part.isWellFormed(), 'a surrogate pair was split');
        }
        const fits = Buffer.byteLength(text) <= max;
        assert.equal(fits ? text : solid(parts.join('')), fits ? parts.join('') : solid(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('split', () => {
  it('leaves a text alone that fits', () => {
    for (const text of ['a', '  a\n\n b \r\n', '   ', '日本', '\n']) {
      assert.deepEqual(split(text, units(20)), [text]);
    }
    assert.deepEqual(split('', units(20)), []);
    assert.deepEqual(split('  a b ', { ...units(20), byLine: true }), ['  a b ']);
  });

  it('prefers the end of a paragraph, then of a line, a sentence, a word', () => {
    for (const [text, ...parts] of [
      ['One.\n\nTwo\nthree. Four six', 'One.', 'Two', 'three. Four six'],
      ['One two.\r\n\r\nthree four five', 'One two.', 'three four five'],
      ['One.\ntwo. three four five', 'One.', 'two.', 'three four five'],
      ['One! two three four', 'One!', 'two three four'],
      ['He said "no." and left it', 'He said "no."', 'and left it'],
      ['one two three four', 'one two three', 'four'],
      ['你好。再见再见再见再见再见再见再见再见', '你好。', '再见再见再见再见再见再见再见再', '见'],
      ['abcdefghijklmnopqrstuvwxyz', 'abcdefghijklmno', 'pqrstuvwxyz'],
      ['exactly fifteen\nthen more', 'exactly fifteen', 'then more'],
      ['3.14159 is the number', '3.14159 is the', 'number'],
    ] as const) {
      assert.deepEqual(split(text, units(15)), parts, text);
    }
  });

  it('split does not cut at a no-break space', () => {
    assert.deepEqual(split('about 10\u00a0000\u00a0€ each', units(13)), [
      'about',
      '10\u00a0000\u00a0€ each',
    ]);
    assert.deepEqual(split('Please ask for Mr.\u00a0Smith at the desk', units(20)), [
      'Please ask for',
      'Mr.\u00a0Smith at the',
      'desk',
    ]);
  });

  it('makes each line a part and drops empty lines', () => {
    const lines = 'one\r\n\r\n  two\n   \nthree is longer than the rest\n';
    assert.deepEqual(split(lines, { ...units(20), byLine: true }), [
      'one',
      '  two',
      'three is longer than',
      'the rest',
    ]);
  });

  it('cuts within a grapheme only if it does not fit alone, and then between code points', () => {
    const family = '👨‍👩‍👧‍👦';
    assert.deepEqual(split(`ab${family}c`, bytes(26)), ['ab', `${family}c`]);
    assert.deepEqual(split(`ab${family}c`, bytes(25)), ['ab', family, 'c']);
    const parts = split(family, bytes(10));
    assert.equal(parts.join(''), family);
    assert.ok(parts.every((part) => part.isWellFormed() && Buffer.byteLength(part) <= 10));
  });

  it('makes no empty part of a space that is separated from its accent', () => {
    assert.deepEqual(split('ab \u0301cd', bytes(2)), ['ab', '\u0301', 'cd']);
  });

  it('returns no parts for white space that is too long', () => {
    assert.deepEqual(split(' \n'.repeat(100), units(20)), []);
    assert.deepEqual(split(`a${' '.repeat(100)}b`, units(20)), ['a', 'b']);
  });

  it('uses the given measure', () => {
    const escaped = { max: 10, measure: (text: string) => text.replaceAll('&', '&amp;').length };
    assert.deepEqual(split('&&&&a', escaped), ['&&', '&&', 'a']);
  });

  it('rejects a limit that fits no character', () => {
    assert.throws(() => split('日本語', bytes(2)), RangeError);
  });

  it('measures uniform text only a few times per part', () => {
    for (const unit of ['a\n', 'word ', 'x', '日本語']) {
      const text = unit.repeat(100_000 / unit.length);
      let measured = 0;
      const parts = split(text, {
        max: 2000,
        measure: (part) => ((measured += part.length), part.length),
      });
      assert.ok(measured < 5 * text.length, `${JSON.stringify(unit)}: ${measured}`);
      assert.ok(parts.length > 40);
    }
  });

  it('finds the longest fitting part even if its length differs much from the previous one', () => {
    const text = `${'a'.repeat(3000)}${'&'.repeat(300)}${'b'.repeat(3000)}`;
    const measure = (part: string) => part.replaceAll('&', '&amp;').length;
    const lengths = split(text, { max: 1000, measure }).map((part) => part.length);
    assert.deepEqual(lengths, [1000, 1000, 1000, 200, 600, 1000, 1000, 500]);
  });

  it('takes linear time', () => {
    const size = 256 * 1024;
    for (const unit of [
      'word ',
      'x',
      '日本語',
      '👨‍👩‍👧‍👦',
      'e\u0301',
      '\u0301',
      'a.\n\n',
      ' ',
      'Dr. x\n',
      '。',
    ]) {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const elapsedMs = cpuMs(() => split(text, bytes(400)));
      // Takes about 10 ms; quadratic time would be minutes.
      assert.ok(elapsedMs < 1000, `${JSON.stringify(unit)} took ${elapsedMs} ms`);
    }
  });
});

describe('cut', () => {
  it('keeps as many whole graphemes as fit, without looking for words', () => {
    assert.equal(cut('one two three', units(9)), 'one two t');
    assert.equal(cut('one', units(9)), 'one');
    assert.equal(cut('', units(9)), '');
    assert.equal(cut('ab👨‍👩‍👧‍👦', units(9)), 'ab');
  });
});
