import { Parser } from 'htmlparser2';

import { yielder } from '../threads/yielding.ts';

/*
 * Sanitizes HTML from strangers to text with structure and links. The output is written from scratch, so only the
 * elements named here get through: no scripts, styles, images, forms, frames or handlers.
 */

const ELEMENTS: ReadonlySet<string> = new Set(
  'a b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s samp span strike strong sub summary sup table tbody td tfoot th thead tr u ul'.split(
    ' ',
  ),
);
const VOID: ReadonlySet<string> = new Set(['br', 'hr']);
/** Elements whose content is not text. */
const HIDDEN: ReadonlySet<string> = new Set(
  'applet embed frame frameset head iframe math noembed noframes noscript object plaintext script select style svg template textarea title xmp'.split(
    ' ',
  ),
);
const SAFE_SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;
const MAX_DEPTH = 64;
/** The text ends where elements are nested deeper: the parser's time grows with the square of the depth. */
const MAX_PARSED_DEPTH = 1_000;
/** Parsed at once: takes less than 10 ms. */
const CHUNK_LENGTH = 8_000;

type Attributes = Readonly<Record<string, string>>;

/** At most `maxLength` characters, with all elements closed. */
export async function sanitizeHtml(html: string, maxLength: number): Promise<string> {
  const { safe, dropped } = await sanitizeOnce(html, maxLength);
  // Without the elements between them, two elements may be nested that HTML does not nest, such as links.
  return dropped ? (await sanitizeOnce(safe, maxLength)).safe : safe;
}

async function sanitizeOnce(
  html: string,
  maxLength: number,
): Promise<{ safe: string; dropped: boolean }> {
  const pieces: string[] = [];
  const open: string[] = [];
  let length = 0;
  let hidden = 0;
  let depth = 0;
  let isFull = false;
  let dropped = false;
  /** Characters reserved for the end tags of open elements. */
  let reserved = 0;
  const write = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  const add = (piece: string, end = 0): boolean => {
    isFull ||= length + piece.length + reserved + end > maxLength;
    if (!isFull) write(piece);
    return !isFull;
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MAX_PARSED_DEPTH) return parser.pause();
      if (HIDDEN.has(name)) hidden++;
      if (hidden > 0) return;
      if (name === 'img') addText(attributes['alt'] ?? '');
      if (!ELEMENTS.has(name)) return void (dropped ||= open.length > 0);
      const tag = `<${name}${attributesOf(name, attributes)}>`;
      if (VOID.has(name)) return void add(tag);
      const end = `</${name}>`.length;
      if (open.length >= MAX_DEPTH || !add(tag, end)) return;
      open.push(name);
      reserved += end;
    },
    ontext: (text) => addText(text),
    onclosetag(name) {
      depth--;
      if (HIDDEN.has(name)) hidden = Math.max(hidden - 1, 0);
      else if (hidden === 0 && open.at(-1) === name) close();
    },
  });
  function addText(text: string): void {
    if (hidden > 0 || isFull) return;
    const room = maxLength - length - reserved;
    const fits = escaped(text).length <= room;
    // An escaped character takes at most six.
    add(escaped(fits ? text : text.slice(0, Math.floor(room / 6))));
    isFull ||= !fits;
  }
  function close(): void {
    const name = open.pop() ?? '';
    const tag = `</${name}>`;
    reserved -= tag.length;
    write(tag);
  }
  const yieldIfDue = yielder();
  for (let at = 0; at < html.length && !isFull; at += CHUNK_LENGTH) {
    parser.write(html.slice(at, at + CHUNK_LENGTH));
    await yieldIfDue();
  }
  parser.end();
  while (open.length > 0) close();
  return { safe: pieces.join(''), dropped };
}

function attributesOf(name: string, given: Attributes): string {
  const { href = '', colspan, rowspan, start } = given;
  if (name === 'a') {
    const address = href.trim();
    return SAFE_SCHEME.test(address) ? ` href="${escaped(address)}" rel="noopener noreferrer"` : '';
  }
  if (name === 'td' || name === 'th')
    return number('colspan', colspan) + number('rowspan', rowspan);
  if (name === 'code') {
    const [language] = /^language-[\w+#-]{1,30}/.exec(given['class'] ?? '') ?? [];
    return language === undefined ? '' : ` class="${language}"`;
  }
  return name === 'ol' ? number('start', start) : '';
}

function number(name: string, value = ''): string {
  return /^\d{1,4}$/.test(value) ? ` ${name}="${value}"` : '';
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
