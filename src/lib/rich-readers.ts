import { Parser } from 'htmlparser2';
import { type Token, type Tokens, lexer } from 'marked';

import { type Look, type RichText, type Run, joined, unstyled } from './rich-text.ts';

/*
 * Markdown and HTML as rich text. What a messenger cannot show is laid out in lines: items of a list begin with
 * a bullet or their number, a quotation with `> `, a heading is bold. Pictures become links to them. What
 * HTML hides (scripts, styles) is left out.
 */

export function readMarkdown(markdown: string): RichText {
  try {
    const page = new Page();
    for (const token of lexer(markdown, { gfm: true })) writeBlock(page, token, {});
    return page.finish();
  } catch (error) {
    // Nested thousands of levels deep, it is no text that anybody wrote.
    if (error instanceof RangeError) return unstyled(markdown);
    throw error;
  }
}

function writeBlock(page: Page, token: Token, look: Look): void {
  switch (token.type) {
    case 'heading':
      page.block(() => writeInline(page, token.tokens, { ...look, bold: true }));
      break;
    case 'paragraph':
    case 'text':
      page.block(() => writeInline(page, token.tokens ?? [token], look));
      break;
    case 'code':
      page.block(() => page.write((token as Tokens.Code).text, { block: true }));
      break;
    case 'blockquote':
      page.indented('> ', () => {
        for (const each of token.tokens ?? []) writeBlock(page, each, look);
      });
      break;
    case 'list':
      writeList(page, token as Tokens.List, look);
      break;
    case 'table':
      writeTable(page, token as Tokens.Table, look);
      break;
    case 'html':
      page.block(() => writeHtml(page, token.raw, look));
      break;
    case 'hr':
      page.block(() => page.write('———', look));
      break;
    default:
      break;
  }
}

function writeList(page: Page, list: Tokens.List, look: Look): void {
  const first = Number(list.start) || 1;
  list.items.forEach((item, i) => {
    const sign = list.ordered ? `${first + i}. ` : item.task ? (item.checked ? '☑ ' : '☐ ') : '• ';
    page.item(sign, () => {
      for (const each of item.tokens) writeBlock(page, each, look);
    });
  });
  page.endList();
}

function writeTable(page: Page, { header, rows }: Tokens.Table, look: Look): void {
  for (const [i, row] of [header, ...rows].entries()) {
    page.line(() => {
      row.forEach((cell, column) => {
        if (column > 0) page.write(' | ', look);
        writeInline(page, cell.tokens, i === 0 ? { ...look, bold: true } : look);
      });
    });
  }
  page.endList();
}

function writeInline(page: Page, tokens: readonly Token[] | undefined, look: Look): void {
  for (const token of tokens ?? []) {
    const inner = 'tokens' in token ? token.tokens : undefined;
    switch (token.type) {
      case 'strong':
        writeInline(page, inner, { ...look, bold: true });
        break;
      case 'em':
        writeInline(page, inner, { ...look, italic: true });
        break;
      case 'del':
        writeInline(page, inner, { ...look, strike: true });
        break;
      case 'codespan':
        page.write((token as Tokens.Codespan).text, { ...look, code: true });
        break;
      case 'link':
        writeInline(page, inner, withLink(look, (token as Tokens.Link).href));
        break;
      case 'image':
        writeImage(page, token as Tokens.Image, look);
        break;
      case 'br':
        page.write('\n', look);
        break;
      case 'html':
        writeHtml(page, token.raw, look);
        break;
      case 'escape':
        page.write((token as Tokens.Escape).text, look);
        break;
      default:
        if (inner) writeInline(page, inner, look);
        else page.write(unescapeEntities('text' in token ? String(token.text) : token.raw), look);
    }
  }
}

function writeImage(page: Page, { text, href }: Tokens.Image, look: Look): void {
  page.write(text === '' ? href : text, withLink(look, href));
}

/** Only addresses that can be followed are links. */
function withLink(look: Look, href: string): Look {
  return /^(https?:|mailto:|tel:)/i.test(href) ? { ...look, link: href } : look;
}

function unescapeEntities(text: string): string {
  if (!text.includes('&')) return text;
  let decoded = '';
  const parser = new Parser({ ontext: (part) => (decoded += part) }, { decodeEntities: true });
  parser.end(text.replaceAll('<', '&lt;'));
  return decoded;
}

export function readHtml(html: string): RichText {
  const page = new Page();
  writeHtml(page, html, {});
  return page.finish();
}

const LOOKS: Readonly<Record<string, Look>> = {
  b: { bold: true },
  strong: { bold: true },
  h1: { bold: true },
  h2: { bold: true },
  h3: { bold: true },
  h4: { bold: true },
  h5: { bold: true },
  h6: { bold: true },
  th: { bold: true },
  i: { italic: true },
  em: { italic: true },
  s: { strike: true },
  del: { strike: true },
  strike: { strike: true },
  code: { code: true },
  kbd: { code: true },
  tt: { code: true },
  pre: { block: true },
};

const BLOCKS = /^(p|div|h[1-6]|ul|ol|blockquote|pre|table|section|article|header|footer|form|hr)$/;
const HIDDEN = /^(script|style|head|title|template|noscript|iframe|object)$/;

/** Elements that are open, outermost first. */
interface Element {
  name: string;
  look: Look;
  /** The number of the next item, in a list with numbers. */
  next?: number;
}

function writeHtml(page: Page, html: string, outer: Look): void {
  const open: Element[] = [];
  let hidden = 0;
  const look = () => open.at(-1)?.look ?? outer;
  const parser = new Parser(
    {
      onopentag(name, { href, src, alt, start }) {
        const own = { ...look(), ...LOOKS[name] };
        if (look().block) delete own.code;
        if (name === 'br') page.write('\n', look());
        if (name === 'img' && src) page.write(alt || src, withLink(own, src));
        if (BLOCKS.test(name)) page.breakBlock();
        if (name === 'hr') page.write('———', own);
        if (name === 'blockquote') page.indent('> ');
        if (name === 'li') page.write(itemSign(open), own);
        if (name === 'td' || name === 'th') page.separate(' | ');
        if (HIDDEN.test(name)) hidden++;
        open.push({
          name,
          look: name === 'a' && href ? withLink(own, href) : own,
          ...(name === 'ol' && { next: Number(start) || 1 }),
        });
      },
      ontext(text) {
        if (hidden > 0) return;
        page.write(look().block ? text : text.replaceAll(/[\t\n\f\r ]+/g, ' '), look());
      },
      onclosetag(name) {
        open.pop();
        if (HIDDEN.test(name)) hidden--;
        if (name === 'blockquote') page.outdent();
        if (name === 'li' || name === 'tr') page.endLine();
        if (BLOCKS.test(name)) page.breakBlock();
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
}

function itemSign(open: readonly Element[]): string {
  const list = open.findLast(({ name }) => name === 'ol' || name === 'ul');
  return list?.next === undefined ? '• ' : `${list.next++}. `;
}

/** Where rich text is laid out in lines and blocks. */
class Page {
  readonly #runs: Run[] = [];
  readonly #prefixes: string[] = [];
  /** How many line breaks have to come before the next text. */
  #due = 0;
  #atLineStart = true;

  write(text: string, look: Look): void {
    for (const piece of text.split(/(\n)/)) {
      if (piece === '\n') this.#newLine(look);
      else if (piece !== '') this.#put(piece, look);
    }
  }

  /** Writes a block: an empty line stands between it and what is before and after. */
  block(write: () => void): void {
    this.breakBlock();
    write();
    this.breakBlock();
  }

  line(write: () => void): void {
    write();
    this.endLine();
  }

  item(sign: string, write: () => void): void {
    this.endLine();
    this.write(sign, {});
    this.#due = 0;
    const runs = this.#runs.length;
    this.#prefixes.push('  ');
    this.#isInItem = true;
    write();
    this.#isInItem = false;
    this.#prefixes.pop();
    if (this.#runs.length > runs) this.endLine();
    this.#due = Math.min(this.#due, 1);
  }

  #isInItem = false;

  endList(): void {
    this.#due = this.#prefixes.length > 0 ? 1 : 2;
  }

  indented(prefix: string, write: () => void): void {
    this.breakBlock();
    this.indent(prefix);
    write();
    this.outdent();
    this.breakBlock();
  }

  indent(prefix: string): void {
    this.#prefixes.push(prefix);
  }

  outdent(): void {
    this.#prefixes.pop();
  }

  breakBlock(): void {
    if (this.#runs.length === 0) return;
    if (this.#isInItem && this.#due === 0 && this.#endsWithSign()) return;
    this.#due = Math.max(this.#due, this.#isInItem ? 1 : 2);
  }

  #endsWithSign(): boolean {
    return /^(\d+\. |[•☑☐] )$/.test(this.#runs.at(-1)?.text ?? '');
  }

  endLine(): void {
    if (this.#runs.length > 0) this.#due = Math.max(this.#due, 1);
  }

  /** Stands between two cells of a row. */
  separate(sign: string): void {
    if (this.#due === 0 && !this.#atLineStart) this.#put(sign, {});
  }

  finish(): RichText {
    const runs = [...joined(this.#runs)];
    const last = runs.at(-1);
    if (last) last.text = last.text.trimEnd();
    return joined(runs);
  }

  #endsWithSpace(): boolean {
    return this.#runs.at(-1)?.text.endsWith(' ') ?? false;
  }

  #newLine(look: Look): void {
    this.#runs.push({ text: '\n', look: look.block ? { block: true } : {} });
    this.#atLineStart = true;
  }

  #put(text: string, look: Look): void {
    const isAfterSpace = this.#atLineStart || this.#due > 0 || this.#endsWithSpace();
    const words = isAfterSpace && !look.block && !look.code ? text.replace(/^[ \t]+/, '') : text;
    if (words === '') return;
    for (; this.#due > 0; this.#due--) this.#newLine({});
    if (this.#atLineStart && this.#prefixes.length > 0) {
      this.#runs.push({ text: this.#prefixes.join(''), look: {} });
    }
    this.#atLineStart = false;
    this.#runs.push({ text: words, look });
  }
}
