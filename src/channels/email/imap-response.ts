/*
 * Parses IMAP responses. https://www.rfc-editor.org/rfc/rfc9051#section-2.2.2
 * A line ends with CRLF; a line that ends with `{n}` continues after the n bytes that follow it.
 */

export interface ImapResponse {
  /** As Latin-1. A line feed follows each `{n}` in place of the bytes. */
  text: string;
  literals: readonly Buffer[];
}

/** An atom, a string, bytes, a list of those, or nil. */
export type ImapValue = string | Buffer | null | readonly ImapValue[];

/** Per response. The ids of a hundred thousand emails take less. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** Splits the received bytes into complete responses. */
export class ImapReader {
  readonly #maxBytes: number;
  #bytes: Buffer[] = [];
  #size = 0;
  /** Remaining bytes of a literal; undefined while reading a line. */
  #wanted: number | undefined;
  #text = '';
  #literals: Buffer[] = [];
  #literalSize = 0;

  /** `maxBytes` limits the literal bytes of one response; its text has a separate limit. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether no partial response is buffered. */
  get isEmpty(): boolean {
    return this.#size === 0 && this.#text === '';
  }

  /** Undefined when a response exceeds the limits. */
  push(bytes: Buffer): ImapResponse[] | undefined {
    this.#bytes.push(bytes);
    this.#size += bytes.length;
    const complete: ImapResponse[] = [];
    for (;;) {
      const step = this.#wanted === undefined ? this.#readLine(bytes) : this.#readLiteral();
      if (step === 'incomplete') return complete;
      if (step === 'invalid') return undefined;
      if (typeof step === 'object') complete.push(step);
    }
  }

  #readLine(latest: Buffer): ImapResponse | 'continue' | 'incomplete' | 'invalid' {
    // Only the latest chunk is searched, unless earlier bytes are left over.
    if (!latest.includes(10)) {
      return this.#size + this.#text.length > MAX_TEXT_BYTES ? 'invalid' : 'incomplete';
    }
    const all = this.#all();
    const end = all.indexOf(10);
    if (end === -1)
      return all.length + this.#text.length > MAX_TEXT_BYTES ? 'invalid' : 'incomplete';
    const line = all.toString('latin1', 0, end).replace(/\r$/, '');
    this.#keep(all.subarray(end + 1));
    this.#text += line;
    if (this.#text.length > MAX_TEXT_BYTES) return 'invalid';
    const [, size] = /\{(\d{1,10})\}$/.exec(line) ?? [];
    if (size === undefined) return this.#take();
    this.#literalSize += Number(size);
    if (this.#literalSize > this.#maxBytes) return 'invalid';
    this.#wanted = Number(size);
    return 'continue';
  }

  #readLiteral(): 'continue' | 'incomplete' {
    const wanted = this.#wanted ?? 0;
    if (this.#size < wanted) return 'incomplete';
    const all = this.#all();
    // A copy: a slice would keep the whole received buffer in memory.
    this.#literals.push(Buffer.from(all.subarray(0, wanted)));
    this.#keep(all.subarray(wanted));
    this.#text += '\n';
    this.#wanted = undefined;
    return 'continue';
  }

  #take(): ImapResponse {
    const response = { text: this.#text, literals: this.#literals };
    this.#text = '';
    this.#literals = [];
    this.#literalSize = 0;
    return response;
  }

  #all(): Buffer {
    const all = this.#bytes.length === 1 ? this.#bytes[0] : undefined;
    const whole = all ?? Buffer.concat(this.#bytes);
    this.#bytes = [whole];
    return whole;
  }

  #keep(rest: Buffer): void {
    this.#bytes = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
  }
}

/** The values of a `FETCH` response, up to the first that cannot be parsed. */
export function valuesIn({ text, literals }: ImapResponse): readonly ImapValue[] {
  const open: ImapValue[][] = [[]];
  const rest = [...literals];
  // An open string extends to the end, so that the search for its end is not repeated.
  const token = /\{\d+\}\n|"((?:[^"\\]|\\[^])*)\\?(?:"|$)|\(|\)|[^\s()"{]+/g;
  for (const [match, quoted] of text.matchAll(token)) {
    const list = open.at(-1);
    if (match === '(') {
      open.push([]);
    } else if (match === ')') {
      const closed = open.pop();
      if (closed) open.at(-1)?.push(closed);
    } else if (match.endsWith('\n')) list?.push(rest.shift() ?? null);
    else if (quoted !== undefined) list?.push(quoted.replaceAll(/\\(.)/g, '$1'));
    else list?.push(match === 'NIL' ? null : match);
  }
  return open[0] ?? [];
}
