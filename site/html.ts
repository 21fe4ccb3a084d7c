import { escape } from '../src/http/pages/escape.ts';

/* Pieces of HTML that several pages use. */

export { escape };

/** Text with inline `code`. */
export const inline = (text: string): string =>
  escape(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

/** Paragraphs with inline `code`. */
export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');

/** A link to a heading, shown beside it. */
export const anchor = (id: string, heading: string): string =>
  ` <a class="anchor" href="#${id}" aria-label="Link to section: ${escape(heading)}">#</a>`;
