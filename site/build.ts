import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { buildAssets, hashedName } from './assets.ts';
import { createIndex } from './browser/search-engine.ts';
import { type PageContent, layout } from './layout.ts';
import { type Manual, readManual, resolveLink } from './manual.ts';
import { type Rendered, renderMarkdown } from './markdown/render.ts';
import { notFoundPage } from './not-found.ts';
import { readOpenApi } from './reference/document.ts';
import { referencePages } from './reference/pages.ts';
import { searchEntries } from './search-entries.ts';

/*
 * Builds the documentation that the service serves at /docs: pages, style sheet, scripts and search index, all as
 * files. The service needs none of the packages used here.
 */

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const out = values.out ?? fileURLToPath(new URL('dist', import.meta.url));

const manual = await readManual();
const reference = referencePages(await readOpenApi());
const pages = [...manualPages(manual), ...reference];
const index = createIndex(
  pages.flatMap(({ name, title, sections }) => searchEntries(name, { title, sections })),
);
const { files, addresses } = await buildAssets();
const searchFile = hashedName('search', 'json', index);
const assets = { ...addresses, searchIndex: `/docs/assets/${searchFile}` };
const children = reference.slice(1).map(({ name, title }) => ({ name, title }));

// Written beside the old files and then moved, so that a running service never sees half of them.
const draft = `${out}.new`;
await rm(draft, { recursive: true, force: true });
await write(`assets/${searchFile}`, index);
for (const [name, content] of files) await write(`assets/${name}`, content);
for (const [name, text] of manual) await write(`pages/${name}.md`, text);
for (const page of pages) await write(`pages/${page.name}.html`, layout(page, children, assets));
await write('not-found.html', layout(notFoundPage, children, assets));
await rm(out, { recursive: true, force: true });
await rename(draft, out);

function manualPages(texts: Manual) {
  return [...texts].map(([name, text]): PageContent & Pick<Rendered, 'sections'> => {
    const { title, html, headings, sections } = renderMarkdown(text, (link) =>
      resolveLink(texts, name, link),
    );
    return { name, title, main: html, headings, sections, hasSource: true };
  });
}

async function write(name: string, content: string | Uint8Array): Promise<void> {
  const file = join(draft, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
