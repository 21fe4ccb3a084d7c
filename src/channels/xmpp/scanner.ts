/** Tags and attributes: far more than any stanza has. The cost of parsing grows with them. */
export const MAX_STANZA_MARKS = 5_000;
export const MAX_STANZA_DEPTH = 100;

/*
 * Finds the ends of stanzas in linear time, so that the parser gets complete stanzas only: it would parse an
 * incomplete one again with each chunk. Rejects what XMPP forbids: comments, declarations, processing instructions.
 * https://www.rfc-editor.org/rfc/rfc6120#section-11.1
 */
export class XmppScanner {
  #text = '';
  /** The current position, and the start of the current tag. */
  #at = 0;
  #tag = 0;
  #inside: 'text' | 'tag' | 'cdata' | '"' | "'" = 'text';
  #depth = 0;
  /** Tags and attributes of the stanza so far. */
  #marks = 0;
  #begun = false;

  /** The size of the incomplete rest. */
  get pending(): number {
    return this.#text.length;
  }

  /**
   * Adds a chunk and returns the complete pieces: the stream header, stanzas, the stream end. Undefined when the
   * input is invalid.
   */
  push(text: string): string[] | undefined {
    this.#text += text;
    const whole: string[] = [];
    let start = 0;
    for (;;) {
      const step = this.#step();
      if (step === 'invalid') return undefined;
      if (step === 'incomplete') break;
      if (step === 'complete') {
        whole.push(this.#text.slice(start, this.#at));
        start = this.#at;
      }
    }
    if (start > 0) {
      // A copy: a slice would keep the whole received string in memory.
      this.#text = Buffer.from(this.#text.slice(start)).toString();
      this.#at -= start;
      this.#tag -= start;
    }
    return whole;
  }

  #step(): 'continue' | 'incomplete' | 'complete' | 'invalid' {
    if (this.#inside === 'text') return this.#lookForTag();
    if (this.#inside === 'tag') return this.#lookForEndOfTag();
    const end = this.#inside === 'cdata' ? ']]>' : this.#inside;
    const found = this.#text.indexOf(end, this.#at);
    if (found === -1) {
      this.#at = Math.max(this.#at, this.#text.length - end.length + 1);
      return 'incomplete';
    }
    this.#at = found + end.length;
    this.#inside = this.#inside === 'cdata' ? 'text' : 'tag';
    return 'continue';
  }

  #lookForTag(): 'continue' | 'incomplete' | 'invalid' {
    const found = this.#text.indexOf('<', this.#at);
    this.#at = found === -1 ? this.#text.length : found;
    const beginning = this.#text.slice(this.#at, this.#at + CDATA.length);
    if (beginning.length < 2) return 'incomplete';
    if (beginning.startsWith('<?')) return this.#skipDeclaration();
    if (beginning.startsWith('<!')) {
      if (this.#depth < 2 || !CDATA.startsWith(beginning)) return 'invalid';
      if (beginning.length < CDATA.length) return 'incomplete';
      this.#inside = 'cdata';
      this.#at += CDATA.length;
      return 'continue';
    }
    this.#inside = 'tag';
    this.#tag = this.#at++;
    return 'continue';
  }

  /** `<?xml version='1.0'?>` may appear only at the beginning. */
  #skipDeclaration(): 'continue' | 'incomplete' | 'invalid' {
    if (this.#begun) return 'invalid';
    const end = this.#text.indexOf('?>', this.#at);
    if (end === -1) return 'incomplete';
    this.#begun = true;
    this.#at = end + 2;
    return 'continue';
  }

  #lookForEndOfTag(): 'continue' | 'incomplete' | 'complete' | 'invalid' {
    MARK.lastIndex = this.#at;
    const mark = MARK.exec(this.#text);
    if (!mark) {
      this.#at = this.#text.length;
      return 'incomplete';
    }
    this.#at = mark.index + 1;
    if (++this.#marks > MAX_STANZA_MARKS) return 'invalid';
    if (mark[0] !== '>') {
      this.#inside = mark[0] === '"' ? '"' : "'";
      return 'continue';
    }
    this.#inside = 'text';
    this.#begun = true;
    const isRoot = this.#depth === 0;
    if (this.#text[this.#tag + 1] === '/') this.#depth--;
    else if (this.#text[mark.index - 1] !== '/') this.#depth++;
    if (this.#depth > MAX_STANZA_DEPTH) return 'invalid';
    if (!isRoot && this.#depth > 1) return 'continue';
    this.#marks = 0;
    return 'complete';
  }
}

const CDATA = '<![CDATA[';
const MARK = /["'>]/g;
