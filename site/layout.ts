import { CONTENTS, type Page, REFERENCE, addressOf } from '../src/http/pages/contents.ts';
import { escape } from './html.ts';
import type { Heading } from './markdown/render.ts';

/* The frame of every page: plain HTML that works without scripts; nothing inline, nothing from other hosts. */

/** Addresses of the files that a page loads. */
export interface Assets {
  style: string;
  /** Sets the theme before the first paint. */
  theme: string;
  script: string;
  /** The Latin part of the font, preloaded so that the text does not change its look. */
  font: string;
  searchIndex: string;
}

export interface PageContent {
  /** Path of the page below /docs, as in the contents. */
  name: string;
  title: string;
  main: string;
  headings: readonly Heading[];
  /** Whether its Markdown source is served beside it. */
  hasSource: boolean;
}

/** A page below another one in the navigation. */
type Child = Pick<Page, 'name' | 'title'>;

const DEEPEST_HEADING = 3;

/** The navigation comes last, so that phones show the page first and link to it. */
export function layout(
  { name, title, main, headings, hasSource }: PageContent,
  referencePages: readonly Child[],
  { style, theme, script, font, searchIndex }: Assets,
): string {
  const source = hasSource
    ? `<p class="source"><a href="/docs/${name}.md">View as Markdown</a></p>`
    : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escape(title)} · Switchboard</title><link rel="preload" as="font" type="font/woff2" crossorigin href="${font}"><link rel="stylesheet" href="${style}"><script src="${theme}"></script><script type="module" src="${script}"></script></head>
<body data-search-index="${searchIndex}"><a class="skip" href="#content">Skip to content</a>
<header><a class="home" href="/docs">Switchboard <span>Docs</span></a><div class="tools"><a class="to-contents" href="#contents">Contents</a><a href="/docs/reference">API</a><a href="/app">Console</a></div></header>
<main id="content" tabindex="-1">${main}${neighbors(name, referencePages)}${source}</main>
${onThisPage(headings)}<nav id="contents" aria-label="Contents">${navigation(name, referencePages)}</nav></body></html>`;
}

function navigation(current: string, referencePages: readonly Child[]): string {
  const isListed = CONTENTS.some(({ pages }) => pages.some(({ name }) => name === current));
  const item = ({ name, title }: Child, children = ''): string => {
    const isParent =
      !isListed &&
      ((name.endsWith('/README') && current.startsWith(name.slice(0, -'README'.length))) ||
        current.startsWith(`${name}/`));
    const mark = name === current ? ' aria-current="page"' : isParent ? ' aria-current="true"' : '';
    return `<li><a href="${addressOf(name)}"${mark}>${escape(title)}</a>${children}</li>`;
  };
  const isReference = current === REFERENCE.name || current.startsWith(`${REFERENCE.name}/`);
  const resources = `<ul>${referencePages.map((page) => item(page)).join('')}</ul>`;
  return CONTENTS.map(({ title, pages }) => {
    const items = pages.map((page) =>
      item(page, page === REFERENCE && isReference ? resources : ''),
    );
    return `<h2>${escape(title)}</h2><ul>${items.join('')}</ul>`;
  })
    .concat('<h2>Service</h2><ul><li><a href="/app">Console</a></li></ul>')
    .join('');
}

/** Links to the previous and the next page in reading order. */
function neighbors(name: string, referencePages: readonly Child[]): string {
  const all: Child[] = [];
  for (const page of CONTENTS.flatMap(({ pages }) => pages)) {
    all.push(page);
    if (page === REFERENCE) all.push(...referencePages);
  }
  const at = all.findIndex((page) => page.name === name);
  const isHome = name === 'README';
  if (at === -1 && !isHome) return '';
  const link = (page: Child | undefined, rel: string, words: string) =>
    page
      ? `<a rel="${rel}" href="${addressOf(page.name)}"><span>${words}</span> ${escape(page.title)}</a>`
      : '';
  const before = isHome ? undefined : all[at - 1];
  const after = isHome ? all[0] : all[at + 1];
  return `<nav class="neighbors" aria-label="Previous and next page">${link(before, 'prev', 'Previous')}${link(after, 'next', 'Next')}</nav>`;
}

function onThisPage(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level <= DEEPEST_HEADING);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ id, text, level }) => `<li class="level-${level}"><a href="#${id}">${escape(text)}</a></li>`,
  );
  return `<nav id="on-this-page" aria-labelledby="on-this-page-title"><h2 id="on-this-page-title">On this page</h2><ul>${items.join('')}</ul></nav>\n`;
}
