import MiniSearch, { type Options, type SearchResult } from 'minisearch';

/* The search. The build writes the index with these options; the browser and the tests read it with the same. */

/** A section of a page. */
export interface Entry {
  /** Address of the section. */
  id: string;
  /** Title of the page. */
  title: string;
  /** Heading of the section; empty for the beginning of a page. */
  heading: string;
  text: string;
  /** Other words that readers use for the subject. */
  keywords: string;
  /** First words of the section, shown with a result. */
  excerpt: string;
  /** How likely a reader wants this kind of page, 1 at most. */
  weight: number;
}

export interface Result {
  address: string;
  title: string;
  heading: string;
  excerpt: string;
}

const OPTIONS: Options<Entry> = {
  fields: ['title', 'heading', 'keywords', 'text'],
  storeFields: ['title', 'heading', 'excerpt', 'weight'],
};

const MAX_RESULTS = 12;
const MAX_PER_PAGE = 3;

export function createIndex(entries: readonly Entry[]): string {
  const index = new MiniSearch(OPTIONS);
  index.addAll(entries);
  return JSON.stringify(index);
}

export const readIndex = (json: string): MiniSearch<Entry> => MiniSearch.loadJSON(json, OPTIONS);

/** Sections with all words; if there are none, with similar words; if there are none, with any of them. */
export function find(index: MiniSearch<Entry>, query: string): Result[] {
  const search = (combineWith: 'AND' | 'OR', isFuzzy: boolean) =>
    index.search(query, {
      combineWith,
      prefix: (term) => term.length > 2,
      // "fallback" is not "callback": a similar word counts only where the word itself is nowhere.
      fuzzy: (term) => (isFuzzy && term.length > 4 ? 0.2 : false),
      boost: { title: 6, heading: 4, keywords: 6 },
      boostDocument: (_id, _term, stored) => Number(stored?.['weight'] ?? 1),
    });
  let all = search('AND', false);
  if (all.length === 0) all = search('AND', true);
  if (all.length === 0) all = search('OR', true);
  const perPage = new Map<string, number>();
  const results = all.filter(({ id }) => {
    const page = String(id).split('#', 1)[0] ?? '';
    const count = (perPage.get(page) ?? 0) + 1;
    perPage.set(page, count);
    return count <= MAX_PER_PAGE;
  });
  return results.slice(0, MAX_RESULTS).map(resultOf);
}

function resultOf(found: SearchResult): Result {
  const text = (name: string) => String(found[name] ?? '');
  return {
    address: String(found.id),
    title: text('title'),
    heading: text('heading'),
    excerpt: text('excerpt'),
  };
}
