import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Parser } from 'htmlparser2';

import { fc } from '../../../test/support/fast-check.ts';
import { longestTurns } from '../../../test/support/turns.ts';
import { sanitizeHtml } from './sanitize-html.ts';

const MAX = 10_000;
const LINK = 'rel="noopener noreferrer"';

const CASES: readonly (readonly [what: string, html: string, expected: string])[] = [
  ['keeps structure', '<p>a <b>b</b></p><ul><li>c</ul>', '<p>a <b>b</b></p><ul><li>c</li></ul>'],
  ['keeps text', 'a &lt;b&gt; &amp; "c" 👋', 'a &lt;b&gt; &amp; &quot;c&quot; 👋'],
  [
    'keeps links',
    '<a href="https://a.example/?b=1&amp;c">d</a>',
    `<a href="https://a.example/?b=1&amp;c" ${LINK}>d</a>`,
  ],
  [
    'keeps tables',
    '<table><tr><td colspan="2" style="x">a</table>',
    '<table><tr><td colspan="2">a</td></tr></table>',
  ],
  ['drops scripts', 'a<script>alert(1)</script>b', 'ab'],
  ['drops styles and heads', '<head><title>t</title></head><style>*{}</style>b', 'b'],
  ['drops handlers', '<b onclick="alert(1)" style="x">b</b>', '<b>b</b>'],
  [
    'replaces images by their alternative text',
    '<img src=x onerror=alert(1) alt="a &quot;mill&quot;">',
    'a &quot;mill&quot;',
  ],
  ['drops addresses that run', '<a href="java&#115;cript:alert(1)">a</a>', '<a>a</a>'],
  ['drops addresses that hold a page', '<a href=" data:text/html,x">a</a>', '<a>a</a>'],
  ['drops foreign content', '<svg><style><img src=x onerror=alert(1)></style></svg>b', 'b'],
  ['drops frames and forms', '<iframe src="x">a</iframe><form><input value="v">b</form>', 'b'],
  ['drops comments', 'a<!-- <b> --><![CDATA[c]]>d', 'ad'],
  [
    'closes a link before the next one, also inside an element that is dropped',
    `<a href="https://a.example"><blink><a href="https://b.example">b`,
    `<a href="https://a.example" ${LINK}></a><a href="https://b.example" ${LINK}>b</a>`,
  ],
  ['closes what is open', '<div><b>a', '<div><b>a</b></div>'],
];

describe('sanitized HTML', () => {
  for (const [what, html, expected] of CASES) {
    it(what, async () => assert.equal(await sanitizeHtml(html, MAX), expected));
  }

  it('sanitized HTML is well-formed within its length limit', async () => {
    assert.equal(await sanitizeHtml('<p><b>abcdef', 19), '<p><b></b></p>');
    const long = await sanitizeHtml('<p>'.concat('&lt;'.repeat(1000)), 100);
    assert.ok(long.length <= 100 && long.endsWith('&lt;</p>'), long);
  });

  it('deep nesting takes little time, and what follows it is cut', async () => {
    const html = (depth: number) => `a${'<b>'.repeat(depth)}b${'</i>'.repeat(depth)}</b>c`;
    const nested = `a${'<b>'.repeat(64)}b</b>c${'</b>'.repeat(63)}`;
    assert.equal(await sanitizeHtml(html(900), MAX), nested);
    const watched = longestTurns();
    // It took seconds.
    const cut = await sanitizeHtml(html(30_000), MAX);
    const tookMs = watched.stop().at(-1) ?? 0;
    assert.equal(cut, `a${'<b>'.repeat(64)}${'</b>'.repeat(64)}`);
    assert.ok(tookMs < 500, `${tookMs} ms`);
  });

  it('other work gets its turn while a long text is sanitized', async () => {
    const html = '<p>&amp;</p>'.repeat(16_000);
    let turns = 0;
    const count = () => {
      turns++;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    assert.equal(await sanitizeHtml(html, html.length), html);
    clearImmediate(pending);
    assert.ok(turns > 1, `${turns} turns`);
  });

  it('contains only allowed markup for any input, wherever in a long text it is', async () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        '<script>',
        '</script>',
        '<a href="javascript:x">',
        "<a href='https://x' onclick=y>",
        '<b',
        '">',
        '<svg>',
        '</svg>',
        '<!--',
        '-->',
        '<p>',
        '</p>',
        '<img src=x>',
        '<style>',
        '&#60;',
        '<math>',
      ),
    );
    // Ends shortly before the second chunk.
    const before = fc.integer({ min: 7_900, max: 8_000 }).map((length) => 'a'.repeat(length));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), before, async (pieces, text) => {
        const safe = await sanitizeHtml(pieces.join(''), 500);
        assert.ok(safe.length <= 500);
        const parser = new Parser({
          onopentag(name, attributes) {
            assert.match(name, /^(?:a|b|p)$/);
            const { href = 'https://', ...others } = attributes;
            assert.match(href, /^https?:|^mailto:|^tel:/i);
            assert.deepEqual(
              Object.keys(others).filter((each) => each !== 'rel'),
              [],
            );
          },
          oncomment: () => assert.fail('a comment'),
        });
        parser.end(safe);
        assert.equal(
          await sanitizeHtml(safe, 10_000),
          safe,
          'sanitizing again gives another result',
        );
        const late = await sanitizeHtml(text + pieces.join(''), text.length + 500);
        assert.equal(late, text + safe);
      }),
    );
  });
});
