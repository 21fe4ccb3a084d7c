import {
  type Container,
  type Look,
  type Margin,
  type RichText,
  type Run,
  joined,
} from './rich-text.ts';

/** The prefix of the lines of a quotation or list item. */
interface Indent {
  of: Container;
  /** The bullet or number, until the first line is written. */
  sign?: string | undefined;
  rest: string;
}

/** Deeper nesting adds no further indentation. */
const MAX_INDENT = 12;
const BULLET = '• ';

/** Lays out rich text in lines and blocks. */
export class LineLayout {
  readonly #runs: Run[] = [];
  readonly #margins: Indent[] = [];
  #items = 0;
  /** Line breaks required before the next text, to separate blocks. */
  #due = 0;
  /** Line breaks written since the last text. */
  #breaks = 0;

  write(text: string, look: Look): void {
    for (const [i, line] of text.split('\n').entries()) {
      if (i > 0) this.breakLine();
      this.#put(line, look);
    }
  }

  breakLine(): void {
    if (this.#runs.length > 0) this.#breaks++;
  }

  endLine(): void {
    if (this.#runs.length > 0) this.#due = Math.max(this.#due, 1);
  }

  /** Separates two blocks with an empty line, except within a list. */
  breakBlock(): void {
    if (this.#runs.length > 0) this.#due = Math.max(this.#due, this.#items > 0 ? 1 : 2);
  }

  openQuotation(): void {
    this.breakBlock();
    this.#margins.push({ of: { kind: 'quote' }, rest: '> ' });
  }

  closeQuotation(): void {
    this.#margins.pop();
    this.breakBlock();
  }

  /** Starts a list item, with a number or a bullet. */
  openItem(list: object, number?: number): void {
    this.endLine();
    const sign = number === undefined ? BULLET : `${number}. `;
    this.#margins.push({ of: { kind: 'item', list, number }, sign, rest: '  ' });
    this.#items++;
  }

  closeItem(): void {
    if (this.#margins.at(-1)?.sign !== undefined) {
      this.#begin({});
      this.#trimEnd();
    }
    this.#margins.pop();
    this.#items--;
    this.endLine();
  }

  /** Writes a checkbox in place of the bullet, if the item starts with it. */
  check(isChecked: boolean): void {
    const sign = isChecked ? '☑ ' : '☐ ';
    const margin = this.#margins.at(-1);
    if (margin?.sign === BULLET && margin.of.kind === 'item') {
      margin.sign = sign;
      margin.of.checked = isChecked;
    } else this.write(sign, {});
  }

  /** Writes a separator between two cells. After empty leading cells, only if `always` is set. */
  separate(sign: string, always: boolean, bar?: 'head' | 'body'): void {
    const isWithin = this.#runs.length > 0 && this.#due === 0 && this.#breaks === 0;
    if (always || isWithin) this.#put(sign, bar === undefined ? {} : { bar });
  }

  finish(): RichText {
    this.#trimEnd();
    return joined(this.#runs);
  }

  #put(text: string, look: Look): void {
    const last = this.#runs.at(-1);
    const isStart = !last || this.#due > 0 || this.#breaks > 0;
    const isCode = look.block ?? look.code ?? false;
    const isAfterSpace = isStart || last.text.endsWith(' ');
    const trimmed = isAfterSpace && !isCode ? text.replace(/^[ \t]+/, '') : text;
    if (trimmed === '') return;
    if (isStart) this.#begin(look);
    this.#runs.push({ text: trimmed, look });
  }

  /** Writes pending line breaks and the prefix of the line. */
  #begin(look: Look): void {
    const count = Math.max(this.#due, this.#breaks);
    if (count > 0) {
      this.#trimEnd();
      this.#runs.push({ text: '\n'.repeat(count), look: this.#lookOfBreak(look) });
    }
    this.#due = 0;
    this.#breaks = 0;
    const hasSign = this.#margins.some(({ sign }) => sign !== undefined);
    const { text, margin } = this.#takeMargin();
    if (!look.block) this.#runs.push({ text, look: { margin } });
    else if (hasSign) {
      // Code starts on the line below the bullet.
      this.#runs.push({ text: text.trimEnd(), look: { margin } }, { text: '\n', look: {} });
      const below = this.#takeMargin();
      this.#runs.push({ text: below.text, look: { block: true, margin: below.margin } });
    } else this.#runs.push({ text, look: { block: true, margin } });
  }

  #lookOfBreak({ block, link }: Look): Look {
    if (this.#due > 0) return {};
    if (block) return { block };
    return link !== undefined && this.#runs.at(-1)?.look.link === link ? { link } : {};
  }

  #takeMargin(): { text: string; margin: readonly Margin[] } {
    let text = '';
    const margin = this.#margins.slice(0, MAX_INDENT).map(({ of, sign }) => ({
      of,
      isFirst: of.kind === 'item' && sign !== undefined,
    }));
    for (const [depth, indent] of this.#margins.entries()) {
      text += indent.sign ?? (depth < MAX_INDENT ? indent.rest : '');
      indent.sign = undefined;
    }
    return { text, margin };
  }

  #trimEnd(): void {
    const last = this.#runs.at(-1);
    if (last && !last.look.code && !last.look.block) last.text = last.text.trimEnd();
  }
}
