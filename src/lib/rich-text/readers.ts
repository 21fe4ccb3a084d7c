import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';

import { LineLayout } from './line-layout.ts';
import { type Look, type RichText, cleanUrl, unstyled } from './rich-text.ts';

/*
 * Reads Markdown and HTML as rich text. Structures that messengers cannot show become lines: list items start with a
 * bullet or number, quotations with `> `, and headings are bold. Images become links. Invisible HTML (scripts,
 * styles) is dropped. Markdown is converted to HTML first, because it may contain HTML.
 */

const LOOKS: Readonly<Record<string, Look>> = {
  b: { bold: true },
  strong: { bold: true },
  h1: { bold: true, heading: 1 },
  h2: { bold: true, heading: 2 },
  h3: { bold: true, heading: 3 },
  h4: { bold: true, heading: 4 },
  h5: { bold: true, heading: 5 },
  h6: { bold: true, heading: 6 },
  th: { bold: true },
  i: { italic: true },
  em: { italic: true },
  s: { strike: true },
  del: { strike: true },
  strike: { strike: true },
  code: { code: true },
  kbd: { code: true },
  samp: { code: true },
  tt: { code: true },
  pre: { block: true },
};

const BLOCKS =
  /^(p|div|h[1-6]|ul|ol|dl|pre|table|section|article|main|header|footer|nav|aside|figure|form|fieldset|details|hr)$/;
const LINES = /^(tr|dt|dd|option|optgroup|caption|figcaption|legend|summary|address)$/;
const HIDING = 'script|style|head|title|template|noscript|iframe|object';
const HIDDEN = new RegExp(`^(${HIDING})$`);

/** An open element. */
interface Element {
  name: string;
  look: Look;
  isHidden: boolean;
  /** In a numbered list: the number of the next item. */
  next?: number;
  /** In a row: the number of cells so far. */
  cells?: number;
  /** In a table: whether it has a header row. */
  hasHeads?: boolean;
}

type Attributes = Readonly<Record<string, string>>;

/** Structure that rich text cannot express, for reporting what a channel loses. */
export interface Structure {
  /** A table with more than one column. */
  hasTable: boolean;
  hasNestedList: boolean;
  hasHeading: boolean;
  /** A code block that names its language. */
  hasCodeLanguage: boolean;
  /** A link that a reader cannot follow. */
  hasDeadLink: boolean;
  /** Number of format changes in all texts so far. */
  formatChanges: number;
}

export const noStructure = (): Structure => ({
  hasTable: false,
  hasNestedList: false,
  hasHeading: false,
  hasCodeLanguage: false,
  hasDeadLink: false,
  formatChanges: 0,
});

/** Maximum nesting. The parser's time grows with its square. */
export const MAX_HTML_DEPTH = 200;

class TooDeep extends Error {
  override name = 'TooDeep';
}

/**
 * Records flattened structure in `structure`. HTML nested deeper than the limit is not written by people; it is
 * returned as plain text.
 */
export function readHtml(html: string, structure = noStructure(), otherwise = html): RichText {
  try {
    return parseHtml(html, structure);
  } catch (error) {
    if (error instanceof TooDeep) return unstyled(otherwise);
    throw error;
  }
}

function parseHtml(html: string, structure: Structure): RichText {
  const reader = new HtmlReader(structure);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => reader.open(name, attributes),
      ontext: (text) => reader.text(text),
      onclosetag: () => reader.close(),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  return reader.page.finish();
}

class HtmlReader {
  readonly page = new LineLayout();
  /** Outermost first. */
  readonly #open: Element[] = [];
  readonly #structure: Structure;

  constructor(structure: Structure) {
    this.#structure = structure;
  }

  open(name: string, attributes: Attributes): void {
    if (this.#open.length >= MAX_HTML_DEPTH) throw new TooDeep();
    const outer = this.#open.at(-1);
    const look = { ...outer?.look, ...LOOKS[name] };
    if (outer?.look.block) delete look.code;
    const language = outer?.name === 'pre' && name === 'code' ? languageOf(attributes) : undefined;
    if (language !== undefined) {
      look.language = language;
      this.#structure.hasCodeLanguage = true;
    }
    const isHidden = outer?.isHidden === true || HIDDEN.test(name);
    const { href } = attributes;
    const element: Element = {
      name,
      look: name === 'a' && href !== undefined ? withLink(look, href) : look,
      isHidden,
      ...(name === 'ol' && { next: integerOf(attributes['start']) ?? 1 }),
      ...(name === 'tr' && { cells: 0 }),
    };
    if (!isHidden) this.#begin(element, attributes);
    this.#open.push(element);
  }

  text(text: string): void {
    const { look = {}, isHidden = false } = this.#open.at(-1) ?? {};
    if (!isHidden) this.page.write(look.block ? text : text.replaceAll(SPACES, ' '), look);
  }

  close(): void {
    const element = this.#open.pop();
    if (!element || element.isHidden) return;
    const { name } = element;
    if (name === 'blockquote') this.page.closeQuotation();
    if (name === 'li') this.page.closeItem();
    if (LINES.test(name)) this.page.endLine();
    if (BLOCKS.test(name)) this.page.breakBlock();
  }

  #begin({ name, look }: Element, attributes: Attributes): void {
    if (BLOCKS.test(name)) this.page.breakBlock();
    if (LINES.test(name)) this.page.endLine();
    if (name === 'br') this.page.breakLine();
    if (name === 'hr') this.page.write('———', { rule: true });
    if (name === 'blockquote') this.page.openQuotation();
    if (/^h[1-6]$/.test(name)) this.#structure.hasHeading = true;
    if (name === 'li') {
      if (this.#open.some((outer) => outer.name === 'li')) this.#structure.hasNestedList = true;
      const list = this.#open.findLast(({ name: outer }) => outer === 'ol' || outer === 'ul');
      this.page.openItem(list ?? this, this.#numberOfItem(attributes));
    }
    if (name === 'a' && look.link === undefined && isOutward(attributes['href'])) {
      this.#structure.hasDeadLink = true;
    }
    if (name === 'img') this.#writeImage(attributes, look);
    if (name === 'input' && attributes['type'] === 'checkbox') {
      this.page.check('checked' in attributes);
    }
    if (name === 'td' || name === 'th') this.#beginCell(name);
  }

  #numberOfItem({ value }: Attributes): number | undefined {
    const list = this.#open.findLast(({ name }) => name === 'ol' || name === 'ul');
    if (list?.next === undefined) return undefined;
    const number = integerOf(value) ?? list.next;
    list.next = number + 1;
    return number;
  }

  #beginCell(name: string): void {
    const row = this.#open.at(-1);
    if (row?.cells === undefined) return;
    const table = this.#open.findLast((element) => element.name === 'table');
    if (table && name === 'th') table.hasHeads = true;
    if (row.cells++ === 0) return;
    this.#structure.hasTable = true;
    const bar = name === 'th' ? 'head' : 'body';
    this.page.separate(' | ', table?.hasHeads === true, table?.hasHeads ? bar : undefined);
  }

  #writeImage({ src = '', alt = '' }: Attributes, look: Look): void {
    // Readers cannot follow these, and a data URL may hold a whole image.
    const address = /^\s*(data|cid|blob):/i.test(src) ? '' : src;
    this.page.write(alt || address, look.link === undefined ? withLink(look, address) : look);
  }
}

/** The `language-…` class, as Markdown converters write it. https://spec.commonmark.org/0.31.2/#info-string */
function languageOf({ class: names = '' }: Attributes): string | undefined {
  return /(?:^|\s)language-([\w+#.-]{1,30})(?:\s|$)/.exec(names)?.[1];
}

const SPACES = /[\t\n\f\r ]+/g;

function integerOf(text = ''): number | undefined {
  return /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

/** Whether a link leads outside the text rather than to an anchor within it. */
function isOutward(href = ''): boolean {
  return href.trim() !== '' && !href.trim().startsWith('#');
}

/** Only URLs that a reader can follow become links. */
function withLink(look: Look, href: string): Look {
  const address = cleanUrl(href);
  return /^(https?:|mailto:|tel:)/i.test(address) ? { ...look, link: address } : look;
}

const MAX_MARKDOWN_DEPTH = 50;

const markdownIt = new MarkdownIt({
  html: true,
  linkify: true,
  breaks: true,
  maxNesting: MAX_MARKDOWN_DEPTH,
});
markdownIt.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// `withLink` decides which links are kept, for Markdown and HTML alike.
markdownIt.validateLink = () => true;
markdownIt.normalizeLink = cleanUrl;
markdownIt.normalizeLinkText = (text) => text;
markdownIt.renderer.rules['html_inline'] = (tokens, i) => shownTag(tokens[i]?.content ?? '');
markdownIt.renderer.rules['html_block'] = (tokens, i) => closed(tokens[i]?.content ?? '');

/** Task list checkboxes. https://github.github.com/gfm/#task-list-items-extension- */
markdownIt.core.ruler.push('tasks', ({ tokens, Token }) => {
  for (const [i, { type, children }] of tokens.entries()) {
    const first = children?.[0];
    if (type !== 'inline' || tokens[i - 2]?.type !== 'list_item_open') continue;
    const box = first?.type === 'text' ? /^\[([ xX])\]\s+/.exec(first.content) : null;
    if (!first || !box) continue;
    first.content = first.content.slice(box[0].length);
    const input = new Token('html_inline', '', 0);
    input.content = box[1] === ' ' ? '<input type="checkbox">' : '<input type="checkbox" checked>';
    children?.unshift(input);
  }
});

export function readMarkdown(markdown: string, structure = noStructure()): RichText {
  const tokens = markdownIt.parse(markdown, {});
  // People do not nest this deep, and the parser drops what is beyond its limit. Keep the source text instead.
  if (tokens.some(({ level }) => level >= MAX_MARKDOWN_DEPTH - 1)) return unstyled(markdown);
  return readHtml(markdownIt.renderer.render(tokens, markdownIt.options, {}), structure, markdown);
}

/** Elements that hide or absorb the following text up to their closing tag. */
const SWALLOWING = `${HIDING}|textarea|xmp|noembed|noframes|plaintext`;
const SWALLOWING_TAG = new RegExp(`^<(?=/?(?:${SWALLOWING})\\b)`, 'i');
const SWALLOWING_TAGS = new RegExp(`<(/?)(${SWALLOWING})\\b`, 'gi');

/**
 * Shows such a tag within a line as text: the author is writing about it.
 * https://github.github.com/gfm/#disallowed-raw-html-extension-
 */
function shownTag(tag: string): string {
  return tag.replace(SWALLOWING_TAG, '&lt;');
}

/** Closes the open elements of an HTML block, so that it hides nothing that follows. */
function closed(html: string): string {
  const open = new Set<string>();
  for (const [, slash, name = ''] of html.toLowerCase().matchAll(SWALLOWING_TAGS)) {
    if (slash === '') open.add(name);
    else open.delete(name);
  }
  const comment = html.lastIndexOf('<!--') > html.lastIndexOf('-->') ? '-->' : '';
  const tag = html.lastIndexOf('<');
  const isWhole = comment !== '' || tag <= html.lastIndexOf('>');
  const whole = isWhole ? html : `${html.slice(0, tag)}&lt;${html.slice(tag + 1)}`;
  return whole + comment + [...open].map((name) => `</${name}>`).join('');
}
