import { renderMermaidSVG } from 'beautiful-mermaid';

import { escape } from '../html.ts';

/*
 * Mermaid diagrams as SVG within the page. The style sheet colors them for light and dark; `accTitle` and `accDescr`,
 * Mermaid's own lines for screen readers, become the title and the description.
 */

let count = 0;

export function mermaidHtml(source: string): string {
  const [, title] = /^\s*accTitle:\s*(.+)$/m.exec(source) ?? [];
  const [, description] = /^\s*accDescr:\s*(.+)$/m.exec(source) ?? [];
  if (title === undefined || description === undefined) {
    throw new Error(`a diagram has no accTitle or no accDescr:\n${source}`);
  }
  const id = `diagram-${++count}`;
  const drawing = renderMermaidSVG(source.replaceAll(/^\s*acc(?:Title|Descr):.*\n/gm, ''), {
    padding: 8,
  })
    .replace(/<style>.*?<\/style>/s, '')
    // The start marker already points backwards; reversed, it would point into the line.
    .replaceAll('auto-start-reverse', 'auto')
    // The policy forbids inline styles.
    .replaceAll(/ style="[^"]*"/g, '')
    .replaceAll(/(id="|url\(#)(arrowhead|circle|cross)/g, `$1${id}-$2`)
    .replace(/<svg /, `<svg role="img" aria-labelledby="${id}-title ${id}-description" `)
    .replace(
      '>',
      `><title id="${id}-title">${escape(title)}</title><desc id="${id}-description">${escape(description)}</desc>`,
    );
  return `<div class="diagram" tabindex="0">${drawing}</div>\n`;
}
