/* What the pages are made of: plain HTML, one style sheet, no script, nothing from elsewhere. */

export function layout(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><link rel="stylesheet" href="/docs/style.css"></head>
<body>${content}</body></html>`;
}

export const table = (rows: string[][]): string =>
  `<div class="wide"><table><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

export const code = (value: unknown): string =>
  `<pre><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`;

export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');

/** Text with `code` in it. */
export const inline = (text: string): string =>
  escape(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

export const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
