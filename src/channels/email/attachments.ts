import { createHash } from 'node:crypto';

import type { FormFile } from '../../lib/http/multipart.ts';
import { unstyled } from '../../lib/rich-text/rich-text.ts';
import { escapeHtml, toHtml } from '../../lib/rich-text/writers.ts';

/* Files in an email. Images appear inline in the HTML if clients can show them; other files are attachments. */

export interface Enclosure extends FormFile {
  /** The id by which the HTML refers to it, without angle brackets. https://www.rfc-editor.org/rfc/rfc2392 */
  contentId?: string;
}

/** A requested file: its content, or the text that replaces it if the download failed. */
export interface RequestedFile {
  url: string;
  name?: string;
  fallback: string;
  file?: FormFile;
  why?: string;
}

/** The types that most email clients show. */
const SHOWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Types that a client would parse as part of the email. */
const STRUCTURED = /^(?:message|multipart)\//i;

/** The line break in HTML. */
export const BREAK = '<br>\n';

/** Marks the place of an image in the HTML until its download has succeeded or failed. */
export function imagePlaceholder(url: string, name?: string): string {
  return imageTag(createHash('sha256').update(url).digest('hex').slice(0, 16), name);
}

function imageTag(id: string, name = ''): string {
  return `<img src="cid:${id}" alt="${escapeHtml(name)}" style="max-width:100%">`;
}

/** Adds the files to an email. `idOf` returns a globally unique id for the file with that number. */
export function enclose(
  message: { text: string; html?: string },
  wanted: readonly RequestedFile[],
  idOf: (number: number) => string,
): { text: string; html?: string; enclosures: Enclosure[] } {
  let { text, html } = message;
  const enclosures: Enclosure[] = [];
  for (const { url, name, fallback, file } of wanted) {
    const place = imagePlaceholder(url, name);
    const hasPlace = html?.includes(place) ?? false;
    let shown = '';
    if (!file) {
      text = inLines([text, fallback], '\n');
      shown = toHtml(unstyled(fallback), BREAK);
      if (!hasPlace) html &&= inLines([html, shown], BREAK);
    } else if (hasPlace && SHOWN.has(file.mediaType.toLowerCase())) {
      const contentId = idOf(enclosures.length + 1);
      enclosures.push({ ...file, contentId });
      shown = imageTag(contentId, name);
    } else {
      enclosures.push(STRUCTURED.test(file.mediaType) ? { ...file, mediaType: ANYTHING } : file);
    }
    // A function, since a name may contain replacement patterns such as `$&`.
    html = html?.replace(place, () => shown);
  }
  return { text, ...(html && { html }), enclosures };
}

const ANYTHING = 'application/octet-stream';

/** Joins the texts that are not empty. */
export function inLines(texts: readonly string[], newline: string): string {
  return texts.filter((text) => text !== '').join(newline);
}

/** The note about a missing file; empty for one that is attached. */
export function missingReason({ url, name = url, why }: RequestedFile): string {
  return why === undefined ? '' : `${name} was sent as a link: ${why}`;
}

/** Links in place of all files, for an email that is too large with them. */
export function asLinks(wanted: readonly RequestedFile[], why: string): RequestedFile[] {
  return wanted.map(({ file, ...each }) => (file ? { ...each, why } : each));
}
