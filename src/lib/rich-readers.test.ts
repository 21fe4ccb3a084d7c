import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readHtml, readMarkdown } from './rich-readers.ts';
import { plainText, unstyled } from './rich-text.ts';
import { toHtml, toMarkdown } from './rich-writers.ts';

/** Markdown, as plain text and as HTML. */
const MARKDOWN: Record<string, [markdown: string, plain: string, html?: string]> = {
  emphasis: ['a **b _c_** ~~d~~', 'a b c d', 'a <b>b </b><b><i>c</i></b> <s>d</s>'],
  code: ['`a*b*` &amp;', 'a*b* &', '<code>a*b*</code> &amp;'],
  'a block of code': [
    '```js\na <b>\n*c*\n```',
    'a <b>\n*c*',
    '<pre><code>a &lt;b&gt;\n*c*</code></pre>',
  ],
  links: [
    '[a](https://example.com/?b=c&d) <https://e.example>',
    'a (https://example.com/?b=c&d) https://e.example',
    '<a href="https://example.com/?b=c&amp;d">a</a> <a href="https://e.example">https://e.example</a>',
  ],
  'a link that leads nowhere': ['[a](javascript:alert(1))', 'a', 'a'],
  'a picture': ['![alt](https://example.com/a.png)', 'alt (https://example.com/a.png)'],
  lists: ['- a\n- b\n  - c\n\n3. d\n4. e', '• a\n• b\n  • c\n\n3. d\n4. e'],
  tasks: ['- [x] a\n- [ ] b', '☑ a\n☐ b'],
  headings: ['# A\n\nb', 'A\n\nb', '<b>A</b>\n\nb'],
  quotations: ['> a\n> b\n\nc', '> a\n> b\n\nc'],
  tables: ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2', '<b>a</b> | <b>b</b>\n1 | 2'],
  'line breaks': ['a\nb\\\nc  \nd', 'a\nb\nc\nd'],
  'signs that mean nothing': ['1 * 2 < 3 \\*a\\*', '1 * 2 < 3 *a*', '1 * 2 &lt; 3 *a*'],
  nothing: ['', ''],
};

describe('Markdown', () => {
  for (const [name, [markdown, plain, html]] of Object.entries(MARKDOWN)) {
    it(`has ${name}`, () => {
      const rich = readMarkdown(markdown);
      assert.equal(plainText(rich), plain);
      if (html !== undefined) assert.equal(toHtml(rich), html);
    });
  }

  it('says the same when it is written and read again', () => {
    for (const text of [
      'a **b** _c_',
      '1. not a list',
      '- nor this',
      '# nor a heading',
      '> nor a quotation',
      '[a](b) `c` *d* __e__ ~~f~~ <b>g</b> \\h | i',
      'snake_case and 2*3*4',
    ]) {
      assert.equal(plainText(readMarkdown(toMarkdown(unstyled(text)))), text);
    }
  });
});

const HTML: Record<string, [html: string, plain: string]> = {
  blocks: ['<h1>A</h1><p>b<br>c</p><div>d</div>', 'A\n\nb\nc\n\nd'],
  lists: ['<ul><li>a<li>b</ul><ol start="3"><li>c</li></ol>', '• a\n• b\n\n3. c'],
  'white space': [' a \n\t b <b> c </b> d', 'a b c d'],
  'lines of code': ['<pre>a\n  b</pre>', 'a\n  b'],
  entities: ['&lt;b&gt; &amp;amp; &#x1F600; &nbsp;x', '<b> &amp; 😀 \u00a0x'],
  links: ['<a href="https://a.example">a.example</a> <a href="javascript:x">y</a>', 'a.example y'],
  quotations: ['<blockquote>a</blockquote>b', '> a\n\nb'],
  tables: ['<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'a | b\n1 | 2'],
  'what is hidden': ['a<script>b</script><style>c</style><!-- d -->e', 'ae'],
  'elements that do not end': ['<b>a<i>b', 'ab'],
  'what is no HTML': ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
};

describe('HTML', () => {
  for (const [name, [html, plain]] of Object.entries(HTML)) {
    it(`has ${name}`, () => assert.equal(plainText(readHtml(html)), plain));
  }

  it('says the same when it is written and read again', () => {
    for (const text of ['<b>a</b> & "c" \'d\'', 'a\nb', '&lt;']) {
      assert.equal(plainText(readHtml(toHtml(unstyled(text), '<br>'))), text);
    }
  });

  it('is read in a time that grows with it and not with its square', () => {
    for (const piece of ['<b>', '<ul><li>', '[', '*a', '> ', '<a href="x">', '&']) {
      const began = performance.now();
      readHtml(piece.repeat(20_000));
      readMarkdown(piece.repeat(2_000));
      assert.ok(performance.now() - began < 3_000, piece);
    }
  });
});
