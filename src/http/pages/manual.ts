import { readFile, readdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import {
  CONTENTS,
  EXTERNAL_PAGES,
  HOME,
  type Page,
  REFERENCE,
  SUMMARY,
  addressOf,
} from './contents.ts';
import { layout } from './layout.ts';
import { renderMarkdown } from './markdown.ts';

/* The pages in docs/ as HTML. */

const ROOT = new URL('../../../', import.meta.url);

/** Fragments included in other pages. */
const PARTS = 'channels/setup/';

/** Page texts by name. */
export type Manual = ReadonlyMap<string, string>;

let loaded: Promise<Manual> | undefined;

/** Read on first use. */
export function manual(): Promise<Manual> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Manual> {
  const folder = fileURLToPath(new URL('docs', ROOT));
  const files = (await readdir(folder, { recursive: true }).catch(() => []))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith(PARTS))
    .map((file) => [file.slice(0, -'.md'.length), `docs/${file}`] as const);
  const pages = new Map<string, string>();
  for (const [name, file] of [...files, ...Object.entries(EXTERNAL_PAGES)]) {
    const text = await readFile(new URL(file, ROOT), 'utf8').catch(() => undefined);
    if (text !== undefined) pages.set(name, text);
  }
  return pages;
}

/** The page for a path below /docs/. */
export function pageOf(pages: Manual, path: string): string | undefined {
  const names = path === '' ? [HOME.name] : [path, `${path}/README`];
  const name = names.find((one) => pages.has(one));
  return name === undefined || path.endsWith('README') ? undefined : renderPage(pages, name);
}

function renderPage(pages: Manual, name: string): string {
  const { title, html, headings } = renderMarkdown(pages.get(name) ?? '', (link) =>
    resolveLink(pages, name, link),
  );
  const source = `<p class="source"><a href="/docs/${name}.md">View as Markdown</a></p>`;
  return layout({ title, name, headings, main: html + nextLink(name) + source });
}

/** Link to the next page. */
function nextLink(name: string): string {
  const all = CONTENTS.flatMap(({ pages }) => pages);
  const at = all.findIndex((page) => page.name === name);
  const next = name === HOME.name ? all[0] : at === -1 ? undefined : all[at + 1];
  if (!next) return '';
  return `<p class="next">Next: <a href="${addressOf(next.name)}">${next.title}</a></p>`;
}

/** Target of a link: another page or site; undefined for files that are only in the repository. */
function resolveLink(pages: Manual, from: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('#')) return link;
  const [target = '', fragment] = link.split('#');
  const file = posix.join(posix.dirname(fileOf(from)), target);
  const name =
    Object.entries(EXTERNAL_PAGES).find(([, path]) => path === file)?.[0] ??
    /^docs\/(.+)\.md$/.exec(file)?.[1];
  if (name === undefined || !pages.has(name)) return undefined;
  return addressOf(name) + (fragment === undefined ? '' : `#${fragment}`);
}

const fileOf = (name: string) => EXTERNAL_PAGES[name] ?? `docs/${name}.md`;

/** The index for language models (https://llmstxt.org). */
export function llmsText(pages: Manual, baseUrl: string): string {
  const line = ({ name, title, about }: Page) =>
    name === REFERENCE.name
      ? `- [${title}](${baseUrl}/openapi.json): ${about}`
      : `- [${title}](${baseUrl}/docs/${name}.md): ${about}`;
  const sections = CONTENTS.map(
    ({ title, pages: own }) =>
      `## ${title}\n\n${own
        .filter(({ name }) => name === REFERENCE.name || pages.has(name))
        .map(line)
        .join('\n')}\n`,
  );
  return `# Switchboard\n\n> ${SUMMARY}\n\n${sections.join('\n')}`;
}
