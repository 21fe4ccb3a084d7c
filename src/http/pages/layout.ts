import { CONTENTS, type Page, addressOf } from './contents.ts';

/* Layout of the pages: plain HTML, one style sheet, no scripts, nothing from other hosts. */

export interface PageContent {
  title: string;
  main: string;
  /** Its name in the contents, if listed. */
  name?: string;
  /** Headings that the navigation lists below the page. */
  headings?: readonly { id: string; text: string }[];
}

/** The navigation comes last, so that phones show the page first and link to it. */
export function layout({ title, main, name, headings = [] }: PageContent): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escape(title)} · Switchboard</title><link rel="stylesheet" href="/docs/style.css"></head>
<body><header><a class="home" href="/docs">Switchboard</a><a class="to-contents" href="#contents">Contents</a></header>
<main>${main}</main>
<nav id="contents" aria-label="Contents">${navigation(name, headings)}</nav></body></html>`;
}

function navigation(
  current: string | undefined,
  headings: NonNullable<PageContent['headings']>,
): string {
  const headingItems = headings
    .map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`)
    .join('');
  const item = ({ name, title }: Page) => {
    const isCurrent = name === current;
    const isParent =
      name.endsWith('/README') && current?.startsWith(name.slice(0, -'README'.length));
    const ariaCurrent = isCurrent ? ' aria-current="page"' : isParent ? ' aria-current="true"' : '';
    const inner = ariaCurrent && headingItems ? `<ul>${headingItems}</ul>` : '';
    return `<li><a href="${addressOf(name)}"${ariaCurrent}>${escape(title)}</a>${inner}</li>`;
  };
  return CONTENTS.map(
    ({ title, pages }) =>
      `<h2>${escape(title)}</h2><ul>${pages.map((page) => item(page)).join('')}</ul>`,
  ).join('');
}

export const table = (rows: string[][]): string =>
  `<div class="stacked"><table><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

export const code = (value: unknown): string =>
  `<pre tabindex="0"><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`;

export const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');

/** Text with inline `code`. */
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
