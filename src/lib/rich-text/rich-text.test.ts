import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type RichText, cleanUrl, plainText, withoutLongLinks } from './rich-text.ts';

describe('clean URL', () => {
  for (const [address, clean] of [
    ['https://a.example/b?c=d&e=%20#f', 'https://a.example/b?c=d&e=%20#f'],
    [' https://a.example/b c\n', 'https://a.example/b%20c'],
    ['https://a.example/\r\n\u0000\u0085\u2028', 'https://a.example/%0D%0A%00%C2%85'],
    ['https://a.example/<b>"c"`d`', 'https://a.example/%3Cb%3E%22c%22%60d%60'],
    ['https://ä.example/日\ud800', 'https://ä.example/日\ud800'],
  ] as const) {
    it(`clean URL is one word: ${JSON.stringify(address)}`, () => {
      assert.equal(cleanUrl(address), clean);
      assert.equal(cleanUrl(clean), clean);
    });
  }
});

describe('link that does not fit', () => {
  const fits = (link: RichText) => plainText(link).length <= 30;
  const long = `https://a.example/${'b'.repeat(30)}`;

  it('link that does not fit is replaced by its text and its address once', () => {
    const rich: RichText = [
      { text: 'a ', look: {} },
      { text: 'b', look: { link: long } },
      { text: 'c', look: { link: long, bold: true } },
      { text: ' d', look: {} },
    ];
    assert.deepEqual(withoutLongLinks(rich, fits), [
      { text: 'a b', look: {} },
      { text: 'c', look: { bold: true } },
      { text: ` (${long}) d`, look: {} },
    ]);
  });

  it('link that does not fit is replaced by its address if that is its text', () => {
    const rich: RichText = [{ text: long, look: { link: long } }];
    assert.deepEqual(withoutLongLinks(rich, fits), [{ text: long, look: {} }]);
  });

  it('leaves other links unchanged', () => {
    const rich: RichText = [
      { text: 'a', look: { link: 'https://a.example' } },
      { text: 'b', look: { link: 'https://b.example' } },
    ];
    assert.deepEqual(withoutLongLinks(rich, fits), rich);
  });
});
