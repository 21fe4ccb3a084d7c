import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { fc } from '../../../test/support/fast-check.ts';
import { MAX_STANZA_DEPTH, MAX_STANZA_MARKS, XmppScanner } from './scanner.ts';

const OPENING = "<?xml version='1.0'?>\n<stream:stream to='a>b' from=\"x'>\">";
const STANZAS = [
  '<a/>',
  "<a b='/>'/>",
  '<a>text > more</a>',
  '<a><b/><c>d</c></a>',
  '<a><![CDATA[</a><x> ]] ]]></a>',
  ' \n <presence />',
  '<a b="c\'>" d=\'"\'>&gt;</a>',
];
const ALL = [OPENING, ...STANZAS, '</stream:stream>'];

describe('the stanza scanner', () => {
  it('finds the same stanzas independently of the chunks in which they arrive', () => {
    const text = ALL.join('');
    const cuts = fc.array(fc.nat(text.length), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (places) => {
        const scanner = new XmppScanner();
        const borders = [0, ...places.toSorted((a, b) => a - b), text.length];
        const found = borders.flatMap((end, i) =>
          i === 0 ? [] : (scanner.push(text.slice(borders[i - 1], end)) ?? ['wrong']),
        );
        assert.deepEqual(found, ALL);
        assert.equal(scanner.pending, 0);
      }),
    );
  });

  it('rejects what XMPP forbids', () => {
    for (const text of [
      `${OPENING}<!-- a -->`,
      `${OPENING}<a><!-- a --></a>`,
      `${OPENING}<!DOCTYPE a>`,
      `${OPENING}<?b c?>`,
      '<!DOCTYPE a [<!ENTITY b "c">]><a>',
      `${OPENING}<![CDATA[a]]>`,
      '<!',
    ]) {
      assert.equal(new XmppScanner().push(text), undefined, text);
    }
  });

  it('accepts any input without a fault', () => {
    const strange = fc.array(
      fc.constantFrom('<', '>', '/', '"', "'", '!', '?', 'a', ' ', ']]>', '<![CDATA['),
    );
    fc.assert(
      fc.property(strange, (parts) => {
        const scanner = new XmppScanner();
        const whole = parts.flatMap((part) => scanner.push(part) ?? []);
        assert.ok(whole.join('').length + scanner.pending <= parts.join('').length);
      }),
    );
  });

  it('rejects stanzas with too many levels, tags or attributes', () => {
    const deep = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`;
    const wide = (tags: number) => `<a>${'<b/>'.repeat(tags - 2)}</a>`;
    const named = (attributes: number) => `<a ${"b='' ".repeat(attributes)}/>`;
    const isLetThrough = (stanza: string) => {
      const scanner = new XmppScanner();
      scanner.push(OPENING);
      return scanner.push(stanza)?.length === 1 && scanner.push('<a/>')?.length === 1;
    };
    assert.ok(isLetThrough(deep(MAX_STANZA_DEPTH - 1)));
    assert.ok(!isLetThrough(deep(MAX_STANZA_DEPTH)));
    assert.ok(isLetThrough(wide(MAX_STANZA_MARKS)));
    assert.ok(!isLetThrough(wide(MAX_STANZA_MARKS + 1)));
    assert.ok(isLetThrough(named(MAX_STANZA_MARKS - 1)));
    assert.ok(!isLetThrough(named(MAX_STANZA_MARKS)));
  });

  it('knows the size of an incomplete stanza', () => {
    const scanner = new XmppScanner();
    scanner.push(`${OPENING}<a>`);
    for (let i = 1; i <= 100; i++) scanner.push('x'.repeat(1000));
    assert.equal(scanner.pending, 100_003);
    assert.equal(scanner.push('</a>')?.length, 1);
    assert.equal(scanner.pending, 0);
  });
});
