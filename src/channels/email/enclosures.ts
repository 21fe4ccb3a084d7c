import { createHash } from 'node:crypto';

import type { FormFile } from '../../lib/multipart.ts';
import { unstyled } from '../../lib/rich-text.ts';
import { escapeHtml, toHtml } from '../../lib/rich-writers.ts';

/* Files in a letter. Pictures are shown in its HTML, where clients can show them; the others lie beside it. */

export interface Enclosure extends FormFile {
  /** What the HTML shows it by, without angle brackets. https://www.rfc-editor.org/rfc/rfc2392 */
  contentId?: string;
}

/** A file that was asked for: as it came, or the words in its place, since it did not. */
export interface Wanted {
  url: string;
  name?: string;
  otherwise: string;
  file?: FormFile;
  why?: string;
}

/** What the clients of most people show. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** What a client would look into as though it were part of the letter. */
const STRUCTURED = /^(?:message|multipart)\//i;

/** Between a line and the next. */
export const BREAK = '<br>\n';

/** Where a picture stands in the HTML, until it is known whether it can be had. */
export function pictureAt(url: string, name?: string): string {
  return picture(createHash('sha256').update(url).digest('hex').slice(0, 16), name);
}

function picture(id: string, name = ''): string {
  return `<img src="cid:${id}" alt="${escapeHtml(name)}" style="max-width:100%">`;
}

/** Puts the files into a letter. `idOf` is what the one of that number is called, as no other in any letter. */
export function enclose(
  said: { text: string; html?: string },
  wanted: readonly Wanted[],
  idOf: (number: number) => string,
): { text: string; html?: string; enclosures: Enclosure[] } {
  let { text, html } = said;
  const enclosures: Enclosure[] = [];
  for (const { url, name, otherwise, file } of wanted) {
    const place = pictureAt(url, name);
    const hasPlace = html?.includes(place) ?? false;
    let shown = '';
    if (!file) {
      text = inLines([text, otherwise], '\n');
      shown = toHtml(unstyled(otherwise), BREAK);
      if (!hasPlace) html &&= inLines([html, shown], BREAK);
    } else if (hasPlace && SHOWN.has(file.mediaType.toLowerCase())) {
      const contentId = idOf(enclosures.length + 1);
      enclosures.push({ ...file, contentId });
      shown = picture(contentId, name);
    } else {
      enclosures.push(STRUCTURED.test(file.mediaType) ? { ...file, mediaType: ANYTHING } : file);
    }
    // A function, since a name may hold what means something in a replacement.
    html = html?.replace(place, () => shown);
  }
  return { text, ...(html && { html }), enclosures };
}

const ANYTHING = 'application/octet-stream';

/** Those that say something, one below the other. */
export function inLines(texts: readonly string[], newline: string): string {
  return texts.filter((text) => text !== '').join(newline);
}

/** What is told of a file that did not go along; nothing of one that did. */
export function whyMissing({ url, name = url, why }: Wanted): string {
  return why === undefined ? '' : `a link in place of ${name}: ${why}`;
}

/** Links to all of them, for the same letter where it is too large with them. */
export function asLinks(wanted: readonly Wanted[], why: string): Wanted[] {
  return wanted.map(({ file, ...each }) => (file ? { ...each, why } : each));
}
