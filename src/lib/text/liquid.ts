import { Liquid, type Template } from 'liquidjs';

/*
 * Liquid, as hostile input: a template reaches no files, no partials and no prototypes, and is bounded in length, time,
 * memory and output. https://liquidjs.com/tutorials/dos.html
 *
 * liquidjs checks these limits between two tags, not within a filter: a `where_exp` of 60 characters can take minutes.
 * So only templates that are `isCheap` may be rendered on the main thread.
 */
const MAX_LIQUID_LENGTH = 65_536;
const MAX_OUTPUT_LENGTH = 65_536;
const RENDER_LIMIT_MS = 100;
/** Objects and characters that a template creates, as liquidjs counts them. */
const MEMORY_LIMIT = 1_000_000;

const OPTIONS = {
  parseLimit: MAX_LIQUID_LENGTH,
  memoryLimit: MEMORY_LIMIT,
  ownPropertyOnly: true,
  strictFilters: true,
  strictVariables: true,
  lenientIf: true,
  // Instead of the file system: no template includes another.
  templates: {},
} as const;

/** The escape for values in the surrounding markup, so that a value never becomes markup. */
export type LiquidEscape = 'plain' | 'markdown' | 'html';

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
};

const ESCAPES: Readonly<Record<LiquidEscape, (value: unknown) => string>> = {
  plain: textOf,
  // https://spec.commonmark.org/0.31.2/#backslash-escapes
  markdown: (value) => textOf(value).replaceAll(/[\\`*_{}[\]()<>#+.!|~&-]/g, '\\$&'),
  html: (value) =>
    textOf(value).replaceAll(/[&<>"']/g, (character) => HTML[character] ?? character),
};

const engines = new Map<LiquidEscape, Liquid>();

/** The time left to render texts that belong together, such as those of a message. */
export class RenderTime {
  #leftMs: number;

  constructor(limitMs = RENDER_LIMIT_MS) {
    this.#leftMs = limitMs;
  }

  /** Throws a LiquidFault if none is left. */
  spend<Result>(work: (leftMs: number) => Result): Result {
    if (this.#leftMs <= 0) throw new LiquidFault('the texts take too long to render');
    const startedAt = performance.now();
    try {
      return work(this.#leftMs);
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
  }
}

/** A template that cannot be parsed or rendered, and why. */
export class LiquidFault extends Error {
  override name = 'LiquidFault';
}

/** Made on first use: an engine formats dates, for which it loads some megabytes of data. */
function engine(escape: LiquidEscape): Liquid {
  const liquid = engines.get(escape) ?? new Liquid({ ...OPTIONS, outputEscape: ESCAPES[escape] });
  engines.set(escape, liquid);
  return liquid;
}

/** Maximum length of the texts, and of the values, of a template on the main thread. */
const MAX_CHEAP_LENGTH = 1_000;
const VALUE_ALONE = /\{\{\s*[\w.]+\s*\}\}/g;

/** Whether short texts only insert short values: with neither tags nor filters, no such template takes 50 ms. */
export function isCheap(
  sources: readonly string[],
  values: Readonly<Record<string, unknown>>,
): boolean {
  const source = sources.join('\n');
  return (
    source.length <= MAX_CHEAP_LENGTH &&
    !/\{[{%]/.test(source.replaceAll(VALUE_ALONE, '')) &&
    JSON.stringify(values).length <= MAX_CHEAP_LENGTH
  );
}

/** Throws a LiquidFault if the text is not Liquid. */
export function checkLiquid(source: string): void {
  parse(engine('plain'), source);
}

/** Throws a LiquidFault if the text is not Liquid, needs other values, or exceeds a limit. */
export function renderLiquid(
  source: string,
  values: Readonly<Record<string, unknown>>,
  escape: LiquidEscape,
  time = new RenderTime(),
): string {
  // Most texts have no variable part.
  if (!source.includes('{{') && !source.includes('{%')) return source;
  const liquid = engine(escape);
  const parsed = parse(liquid, source);
  let output: unknown;
  try {
    output = time.spend((renderLimit): unknown =>
      liquid.renderSync(parsed, { ...values }, { renderLimit }),
    );
  } catch (error) {
    throw error instanceof LiquidFault ? error : faultOf(error);
  }
  const text = String(output);
  if (text.length > MAX_OUTPUT_LENGTH) {
    throw new LiquidFault(`the result has more than ${MAX_OUTPUT_LENGTH} characters`);
  }
  return text;
}

function parse(liquid: Liquid, source: string): Template[] {
  try {
    return liquid.parse(source);
  } catch (error) {
    throw faultOf(error);
  }
}

const MAX_DETAIL_LENGTH = 200;

/** The first line says what is wrong; the others repeat the source. */
function faultOf(error: unknown): LiquidFault {
  const message = error instanceof Error ? error.message : String(error);
  const [line = ''] = message.split('\n');
  return new LiquidFault(line.slice(0, MAX_DETAIL_LENGTH), { cause: error });
}
