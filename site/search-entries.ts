import { CONTENTS, HOME, addressOf } from '../src/http/pages/contents.ts';
import type { Entry } from './browser/search-engine.ts';
import type { Rendered } from './markdown/render.ts';

/* What the search finds. */

const EXCERPT_LENGTH = 150;
/** Longer sections are tables; their first rows are enough. */
const MAX_TEXT = 6_000;

/** Pages that only list others or tools. */
const UNSEARCHED: ReadonlySet<string> = new Set([HOME.name, 'licenses']);

/** Readers look for guides first, and rarely for the history. */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/^(?:changelog|decisions\/)/, 0.25],
  [/^(?:architecture|contributing)/, 0.4],
  [/^examples\//, 0.6],
  [/^(?:reference\/|command-line)/, 0.7],
  [/^channels\/(?!README|choosing)/, 0.7],
];

const keywords = new Map(
  CONTENTS.flatMap(({ pages }) => pages).map(({ name, keywords: words = '' }) => [name, words]),
);

export function searchEntries(
  name: string,
  { title, sections }: Pick<Rendered, 'title' | 'sections'>,
): Entry[] {
  if (UNSEARCHED.has(name)) return [];
  const weight = WEIGHTS.find(([pattern]) => pattern.test(name))?.[1] ?? 1;
  return sections.map(({ heading, text, keywords: own = '' }) => ({
    id: addressOf(name) + (heading ? `#${heading.id}` : ''),
    title,
    heading: heading?.text ?? '',
    text: text.slice(0, MAX_TEXT),
    keywords: heading ? own : (keywords.get(name) ?? ''),
    excerpt: excerptOf(text),
    weight: weight * sectionWeight(heading?.id),
  }));
}

/** The beginning of a page introduces it; an object of the reference is rarely what is looked for. */
function sectionWeight(id: string | undefined): number {
  if (id === undefined) return 1.2;
  return id.startsWith('object-') ? 0.5 : 1;
}

function excerptOf(text: string): string {
  if (text.length <= EXCERPT_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', EXCERPT_LENGTH))} …`;
}
