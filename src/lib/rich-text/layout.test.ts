import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { cpuMs } from '../../../test/support/cpu.ts';
import { toHtmlBlocks } from './html.ts';
import { toMarkdownBlocks } from './markdown.ts';
import { readHtml, readMarkdown } from './readers.ts';
import { plainText } from './rich-text.ts';
import { MARKDOWN } from './writers.ts';

const HTML = { newline: '<br>', tables: true, headings: 6 };
const FULL = { tables: true, headings: 6, rules: true };

/** Markdown, its HTML, and the Markdown written back if it differs. */
const LAYOUTS: Record<string, [markdown: string, html: string, again?: string]> = {
  'lists in lists': [
    '- a\n  - b\n    1. c\n    2. d\n- e',
    '<ul><li>a<ul><li>b<ol><li>c</li><li>d</li></ol></li></ul></li><li>e</li></ul>',
  ],
  'the start number of a list': ['3. a\n4. b', '<ol start="3"><li>a</li><li>b</li></ol>'],
  'a list between paragraphs': ['a\n\n1. b\n\nc', 'a<ol><li>b</li></ol>c'],
  tasks: ['- [x] a\n- [ ] b', '<ul><li>☑ a</li><li>☐ b</li></ul>', '- ☑ a\n- ☐ b'],
  headings: ['## A *b*\n\nc', '<h2>A <i>b</i></h2>c'],
  quotations: ['> a\n>\n> b\n\nc', '<blockquote>a<br><br>b</blockquote>c'],
  'a quotation in a list': ['- a\n  > b', '<ul><li>a<blockquote>b</blockquote></li></ul>'],
  'the language of code': [
    '```ts\nlet a;\n\nb\n```',
    '<pre><code class="language-ts">let a;\n\nb</code></pre>',
  ],
  'code in a list': [
    '1. a\n   ```\n   b\n     c\n   ```',
    '<ol><li>a<pre><code>b\n  c</code></pre></li></ol>',
  ],
  tables: [
    '| a | b |\n| --- | --- |\n| 1 | *2* |',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td><i>2</i></td></tr></table>',
    '| **a** | **b** |\n| --- | --- |\n| 1 | *2* |',
  ],
  rules: ['a\n\n---\n\nb', 'a<hr>b'],
};

describe('rich text layout', () => {
  for (const [name, [markdown, html, again = markdown]] of Object.entries(LAYOUTS)) {
    it(`keeps ${name}`, () => {
      const rich = readMarkdown(markdown);
      assert.equal(toHtmlBlocks(rich, HTML), html);
      assert.equal(toMarkdownBlocks(rich, MARKDOWN, FULL), again);
      const read = plainText(readHtml(html)).replaceAll(/• (?=[☑☐])/g, '');
      assert.equal(read, plainText(rich));
    });
  }

  it('rich text layout becomes text where a channel cannot show it', () => {
    const rich = readMarkdown('#### A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---');
    const text = '<b>A</b><br><br><b>a</b> | <b>b</b><br>1 | 2<hr>';
    assert.equal(toHtmlBlocks(rich, { ...HTML, tables: false, headings: 3 }), text);
    const few = { tables: false, headings: 3, rules: false };
    const lines = '**A**\n\n**a** \\| **b**\n1 \\| 2\n\n———';
    assert.equal(toMarkdownBlocks(rich, MARKDOWN, few), lines);
  });

  it('deep and long rich text is written quickly', () => {
    const elapsedMs = cpuMs(() => {
      for (const text of ['<ul><li>a'.repeat(500), `<blockquote>a${'<br>'.repeat(5000)}b`]) {
        toHtmlBlocks(readHtml(text), HTML);
        toMarkdownBlocks(readHtml(text), MARKDOWN, FULL);
      }
    });
    assert.ok(elapsedMs < 5000, `${elapsedMs} ms`);
  });
});
