import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MAX_HTML_DEPTH, readHtml, readMarkdown } from './readers.ts';
import { plainText, unstyled } from './rich-text.ts';
import { toHtml, toMarkdown } from './writers.ts';

/** Markdown, its plain text and its HTML. */
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
  'a dead link': ['[a](javascript:alert(1))', 'a', 'a'],
  'an image': ['![alt](https://example.com/a.png)', 'alt (https://example.com/a.png)'],
  lists: ['- a\n- b\n  - c\n\n3. d\n4. e', '• a\n• b\n  • c\n\n3. d\n4. e'],
  tasks: ['- [x] a\n- [ ] b', '☑ a\n☐ b'],
  headings: ['# A\n\nb', 'A\n\nb', '<b>A</b>\n\nb'],
  quotations: ['> a\n> b\n\nc', '> a\n> b\n\nc'],
  tables: ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2', '<b>a</b> | <b>b</b>\n1 | 2'],
  'line breaks': ['a\nb\\\nc  \nd', 'a\nb\nc\nd'],
  'literal delimiters': ['1 * 2 < 3 \\*a\\*', '1 * 2 < 3 *a*', '1 * 2 &lt; 3 *a*'],
  'HTML within a line': [
    'a <b>b *c*</b><br><a href="https://d.example">d</a> <i>e\n\nf',
    'a b c\nd (https://d.example) e\n\nf',
    'a <b>b </b><b><i>c</i></b>\n<a href="https://d.example">d</a> <i>e</i>\n\nf',
  ],
  'blocks of HTML': ['<div>\n*a*\n\n*b*\n</div>\n\nc', '*a*\n\nb\n\nc'],
  'tags quoted in text': ['Use <script> or <title>.', 'Use <script> or <title>.'],
  'unclosed HTML': [
    '<div><script>a\n\nb\n\n<div><!-- c\n\nd\n\n<div title="e\n\nf',
    'b\n\nd\n\n<div title="e\n\nf',
  ],
  'bare addresses': ['https://a.example/b_c_d, e.example', 'https://a.example/b_c_d, e.example'],
  'items with several blocks': ['- a\n\n  b\n\n- c\n  > d', '• a\n  b\n• c\n  > d'],
  'lines of code in a list': [
    '- a\n  ```\n  b\n  c\n  ```\n- ```\n  d\n  ```',
    '• a\n  b\n  c\n•\n  d',
    '• a\n<pre><code>  b\n  c</code></pre>\n•\n<pre><code>  d</code></pre>',
  ],
  'empty items': ['- a\n-\n- b', '• a\n•\n• b'],
  'empty table headers': ['| | a |\n|-|-|\n| b | c |', '| a\nb | c'],
  'numbered tasks': ['1. [x] a', '1. ☑ a'],
  'too deep nesting': ['> '.repeat(100) + 'a', '> '.repeat(100) + 'a'],
  'an empty text': ['', ''],
};

describe('reading Markdown', () => {
  for (const [name, [markdown, plain, html]] of Object.entries(MARKDOWN)) {
    it(`handles ${name}`, () => {
      const rich = readMarkdown(markdown);
      assert.equal(plainText(rich), plain);
      if (html !== undefined) assert.equal(toHtml(rich), html);
    });
  }

  it('Markdown is unchanged when written and read again', () => {
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
  'hidden elements': ['a<script>b</script><style>c</style><!-- d -->e', 'ae'],
  'nested hidden elements': [
    'a<noscript><img src="https://b.example/c.png"><ul><li>d</li></ul><hr></noscript>e',
    'ae',
  ],
  'paragraphs in lists': ['<ul><li><p>a</p></li><li><p>b</p></li></ul>', '• a\n• b'],
  'lists in lists': [
    '<ul><li><p>a</p><ol><li><p>b</p><p>c</p></li></ol></li><li>d</li></ul><p>e</p>',
    '• a\n  1. b\n    c\n• d\n\ne',
  ],
  'numbers of lists': [
    '<ol start="0"><li>a<li>b<li value="7">c<li>d</ol>',
    '0. a\n1. b\n7. c\n8. d',
  ],
  tasks: ['<ul><li><input type="checkbox" checked> a</li></ul>', '☑ a'],
  'line breaks': ['<br>a<br><br>b<br></p><p>c<br>', 'a\n\nb\n\nc'],
  'spaces around addresses': [
    '<a href=" https://a.example/b c\n">d</a>',
    'd (https://a.example/b%20c)',
  ],
  'a link over two lines': ['<a href="https://a.example">b<br>c</a>', 'b\nc (https://a.example)'],
  'data URL images': ['<img src="data:image/png;base64,AA" alt="a"> <img src="data:,">b', 'a b'],
  'a linked image': [
    '<a href="https://a.example"><img src="https://b.example/c.png" alt="d"></a>',
    'd (https://a.example)',
  ],
  definitions: ['<dl><dt>a</dt><dd>b</dd><dt>c<dd>d</dl>', 'a\nb\nc\nd'],
  options: ['<select><option>a<option>b</select>', 'a\nb'],
  'unclosed elements': ['<b>a<i>b', 'ab'],
  'text that is not HTML': ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
};

describe('reading HTML', () => {
  for (const [name, [html, plain]] of Object.entries(HTML)) {
    it(`handles ${name}`, () => assert.equal(plainText(readHtml(html)), plain));
  }

  it('HTML is unchanged when written and read again', () => {
    for (const text of ['<b>a</b> & "c" \'d\'', 'a\nb', '&lt;']) {
      assert.equal(plainText(readHtml(toHtml(unstyled(text), '<br>'))), text);
    }
  });

  it('reading HTML is fast for any input', () => {
    for (const piece of HARD) {
      const text = piece.repeat(Math.ceil(20_000 / piece.length));
      const began = process.cpuUsage();
      readHtml(text);
      const html = process.cpuUsage(began).user;
      readMarkdown(text);
      const both = process.cpuUsage(began).user;
      // Takes up to 0.2 s of CPU; parsers that are not hardened against such input take 10 s and more.
      assert.ok(both < 3_000_000, JSON.stringify({ piece, html, markdown: both - html }));
    }
  });

  it('reading HTML does not expand deeply nested input', () => {
    for (const piece of ['<ul><li>a', '<blockquote>a']) {
      const text = plainText(readHtml(piece.repeat(2_000)));
      assert.ok(text.length < 100_000, piece);
    }
  });
});

const HARD = [
  ['*a_', '_a_', '_*', '**', '****a', '~~', '`', '[', '![', '[a](', '[a][', '](', '[a](<b', '&'],
  ['> ', '1. ', '- ', '\n- ', '\n> ', '\n#', '\n===', '|a', '|a|b\n|-|-\n', '[a]: b\n', '\\'],
  ['<b>', '<a ', '<', '</x>', '<!--', '<a href="x">', '<ul><li>', '<ul><li>a', '<script>', '<td>'],
  ['http://', 'https://a.example/', 'mailto:', 'a@', 'www.', 'http://a(', '"', '\t'],
].flat();

describe('nested HTML', () => {
  it('nested HTML is shown as source text beyond the depth limit', () => {
    const nested = (depth: number) => `${'<b>'.repeat(depth)}x${'</b>'.repeat(depth)}`;
    assert.deepEqual(readHtml(nested(MAX_HTML_DEPTH)), [{ text: 'x', look: { bold: true } }]);
    const deep = nested(MAX_HTML_DEPTH + 1);
    assert.deepEqual(readHtml(deep), [{ text: deep, look: {} }]);
    assert.deepEqual(readMarkdown(deep), [{ text: deep, look: {} }]);
  });
});
