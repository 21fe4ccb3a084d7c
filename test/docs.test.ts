import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { it } from 'node:test';

import { PAGES } from '../docs/generate/generate.ts';
import { SETTINGS, unknownSettings } from '../src/config.ts';
import { EVENT_TYPES } from '../src/model/event.ts';
import { MESSAGE_STATES } from '../src/model/message.ts';
import { PROBLEMS } from '../src/model/problem.ts';

const ROOT = resolve(import.meta.dirname, '..');

const documents = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => /(^|[\\/])(node_modules|data|dist|\.git)$/.test(name),
}).map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

for (const [name, make] of Object.entries(PAGES)) {
  it(`docs/${name} matches the code`, () => {
    const written = readFileSync(join(ROOT, 'docs', name), 'utf8');
    assert.equal(written, make(), 'docs are out of date: run npm run docs');
  });
}

it('the documentation describes every setting and every error once', () => {
  const configuration = PAGES['configuration.md']?.() ?? '';
  for (const { name, default: value, secret } of Object.values(SETTINGS)) {
    const rows = configuration.split('\n').filter((line) => line.startsWith(`| \`${name}\` |`));
    assert.equal(rows.length, 1, name);
    assert.equal(rows[0]?.includes('**Secret.**'), secret === true, name);
    if (value) assert.ok(rows[0]?.includes(`| \`${value}\` |`), name);
  }
  const errors = PAGES['errors.md']?.() ?? '';
  for (const [code, { status }] of Object.entries(PROBLEMS)) {
    assert.equal(errors.split(`\n| \`${code}\` | ${status} | `).length, 2, code);
  }
});

it('the documentation lists every event type', () => {
  const { text = '' } = documents.find(({ path }) => path === join('docs', 'receiving.md')) ?? {};
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const missing = EVENT_TYPES.filter((type) => !rows.some((row) => row.includes(`\`${type}\``)));
  assert.deepEqual(missing, []);
});

it('the documentation explains every state of a message', () => {
  const { text = '' } = documents.find(({ path }) => path === join('docs', 'concepts.md')) ?? {};
  const missing = MESSAGE_STATES.filter((state) => !text.includes(`**${state}**`));
  assert.deepEqual(missing, []);
});

it('the documentation has no broken links', () => {
  const broken = documents.flatMap(({ path, text }) =>
    linksOf(text)
      .filter((link) => !leadsSomewhere(pageOf(path), text, link))
      .map((link) => `${path}: ${link}`),
  );
  assert.deepEqual(broken, []);
});

it('the documentation mentions existing settings only', () => {
  const unknown = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\bSWITCHBOARD_[A-Z0-9_]+/g)]
      .filter(([name]) => unknownSettings({ [name]: '' }).length > 0)
      .map(([name]) => `${path}: ${name}`),
  );
  assert.deepEqual(unknown, []);
});

it('the link check finds broken links', () => {
  const page = 'docs/errors.md';
  const text = '# Some `code`, and more\n';
  assert.deepEqual(linksOf('[a](b.md) ![c](d.png "title") <e@f>\n[g]: h.md\n`[i](j.md)`'), [
    'b.md',
    'd.png',
    'h.md',
  ]);
  for (const good of ['errors.md', '../package.json', '#some-code-and-more', 'https://x.example']) {
    assert.ok(leadsSomewhere(page, text, good), good);
  }
  for (const bad of ['missing.md', 'errors.md#nothing', '#nothing', '../docs/missing/']) {
    assert.ok(!leadsSomewhere(page, text, bad), bad);
  }
});

/** The page that shows a text: setup guides are parts of the channel pages, one folder up. */
const pageOf = (path: string) => path.replace('docs/channels/setup/', 'docs/channels/');

/** The targets of links and images in Markdown, except in code. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`\n]*`/g, '');
  const inline = prose.matchAll(/\]\(\s*<?([^\s)>]+)>?[^)]*\)/g);
  const defined = prose.matchAll(/^\[[^\]]+\]:\s*<?([^\s>]+)/gm);
  return [...inline, ...defined].map(([, target]) => target ?? '');
}

function leadsSomewhere(path: string, text: string, link: string): boolean {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return true;
  const [target = '', fragment] = link.split('#');
  const file = join(ROOT, dirname(path), decodeURIComponent(target));
  if (target !== '' && !existsSync(file)) return false;
  if (!fragment || (target !== '' && !target.endsWith('.md'))) return true;
  const there = target === '' ? text : readFileSync(file, 'utf8');
  return anchorsOf(there).includes(fragment);
}

/** The anchors of headings: lower case, without punctuation, spaces as hyphens. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  );
}
