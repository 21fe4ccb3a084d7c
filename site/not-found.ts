import type { PageContent } from './layout.ts';

/** Shown to browsers for an unknown address below /docs. */
export const notFoundPage: PageContent = {
  name: 'not-found',
  title: 'Page not found',
  headings: [],
  hasSource: false,
  main: `<h1>Page not found</h1><p>No documentation page has this address. It may have moved: search for it, or start at the <a href="/docs">list of all pages</a>.</p>`,
};
