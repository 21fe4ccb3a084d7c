import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';

import { Page } from './rich-page.ts';
import { type Look, type RichText, cleanAddress, unstyled } from './rich-text.ts';

/*
 * Markdown and HTML as rich text. What a messenger cannot show is laid out in lines: items of a list begin with
 * a bullet or their number, a quotation with `> `, a heading is bold. Pictures become links to them. What
 * HTML hides (scripts, styles) is left out. Markdown is read by way of HTML, since HTML may stand in it.
 */

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
  samp: { code: true },
  tt: { code: true },
  pre: { block: true },
};

const BLOCKS =
  /^(p|div|h[1-6]|ul|ol|dl|pre|table|section|article|main|header|footer|nav|aside|figure|form|fieldset|details|hr)$/;
const LINES = /^(tr|dt|dd|option|optgroup|caption|figcaption|legend|summary|address)$/;
const HIDING = 'script|style|head|title|template|noscript|iframe|object';
const HIDDEN = new RegExp(`^(${HIDING})$`);

/** An element that is open. */
interface Element {
  name: string;
  look: Look;
  isHidden: boolean;
  /** The number of the next item, in a list with numbers. */
  next?: number;
  /** How many cells there are, in a row. */
  cells?: number;
  /** Whether its columns have heads, in a table. */
  hasHeads?: boolean;
}

type Attributes = Readonly<Record<string, string>>;

export function readHtml(html: string): RichText {
  const reader = new HtmlReader();
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
  readonly page = new Page();
  /** The outermost first. */
  readonly #open: Element[] = [];

  open(name: string, attributes: Attributes): void {
    const outer = this.#open.at(-1);
    const look = { ...outer?.look, ...LOOKS[name] };
    if (outer?.look.block) delete look.code;
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
    if (name === 'hr') this.page.write('———', look);
    if (name === 'blockquote') this.page.openQuotation();
    if (name === 'li') this.page.openItem(this.#numberOfItem(attributes));
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
    if (row.cells++ > 0) this.page.separate(' | ', table?.hasHeads === true);
  }

  #writeImage({ src = '', alt = '' }: Attributes, look: Look): void {
    // Nobody can follow these, and one of them may be a whole picture.
    const address = /^\s*(data|cid|blob):/i.test(src) ? '' : src;
    this.page.write(alt || address, look.link === undefined ? withLink(look, address) : look);
  }
}

const SPACES = /[\t\n\f\r ]+/g;

function integerOf(text = ''): number | undefined {
  return /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}

/** Only addresses that can be followed are links. */
function withLink(look: Look, href: string): Look {
  const address = cleanAddress(href);
  return /^(https?:|mailto:|tel:)/i.test(address) ? { ...look, link: address } : look;
}

const DEEPEST = 50;

const markdownIt = new MarkdownIt({ html: true, linkify: true, breaks: true, maxNesting: DEEPEST });
markdownIt.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// What may be a link is decided in one place, for HTML too.
markdownIt.validateLink = () => true;
markdownIt.normalizeLink = cleanAddress;
markdownIt.normalizeLinkText = (text) => text;
markdownIt.renderer.rules['html_inline'] = (tokens, i) => shownTag(tokens[i]?.content ?? '');
markdownIt.renderer.rules['html_block'] = (tokens, i) => closed(tokens[i]?.content ?? '');

/** Boxes of lists of tasks. https://github.github.com/gfm/#task-list-items-extension- */
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

export function readMarkdown(markdown: string): RichText {
  const tokens = markdownIt.parse(markdown, {});
  // Nested that deep, it is no text that anybody wrote, and the parser leaves some of it out.
  if (tokens.some(({ level }) => level >= DEEPEST - 1)) return unstyled(markdown);
  return readHtml(markdownIt.renderer.render(tokens, markdownIt.options, {}));
}

/** What takes in all that follows, up to where it is closed. */
const SWALLOWING = `${HIDING}|textarea|xmp|noembed|noframes|plaintext`;
const SWALLOWING_TAG = new RegExp(`^<(?=/?(?:${SWALLOWING})\\b)`, 'i');
const SWALLOWING_TAGS = new RegExp(`<(/?)(${SWALLOWING})\\b`, 'gi');

/** Within a line such a tag is what is talked about. https://github.github.com/gfm/#disallowed-raw-html-extension- */
function shownTag(tag: string): string {
  return tag.replace(SWALLOWING_TAG, '&lt;');
}

/** A block of HTML, such that it hides nothing of what follows it. */
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
