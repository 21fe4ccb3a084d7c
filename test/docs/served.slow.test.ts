import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CONTENTS, addressOf } from '../../src/http/pages/contents.ts';
import { buildDocs } from '../support/programs/docs.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { readSources } from '../support/sources.ts';

/* The documentation as a running service serves it. */

interface Served {
  status: number;
  type: string;
  policy: string;
  text: string;
}

describe('the documentation at /docs', () => {
  let sb: TestService;
  let served: Map<string, Served>;

  before(async () => {
    sb = await startTestService('sqlite', { environment: { SWITCHBOARD_DOCS_DIR: buildDocs() } });
    served = await visitAll();
  });
  after(() => sb[Symbol.asyncDispose]());

  /** All pages reachable by links from the first one. */
  async function visitAll(): Promise<Map<string, Served>> {
    const found = new Map<string, Served>();
    const next = ['/docs'];
    for (let path = next.pop(); path !== undefined; path = next.pop()) {
      if (found.has(path)) continue;
      const page = await get(path);
      found.set(path, page);
      if (isPage(path, page)) next.push(...linksOf(page.text).map(withoutFragment));
    }
    return found;
  }

  async function get(path: string, accept = '*/*'): Promise<Served> {
    const response = await fetch(sb.url + path, { headers: { accept } });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      policy: response.headers.get('content-security-policy') ?? '',
      text: await response.text(),
    };
  }

  const isPage = (path: string, { type }: Served) =>
    path.startsWith('/docs') && type.startsWith('text/html');
  const pages = () => [...served].filter(([path, page]) => isPage(path, page));

  it('links to every page, each also as Markdown', async () => {
    const files = [...readSources('docs/**/*.md')].filter(([path]) => !path.includes('/setup/'));
    assert.ok(files.length > 60);
    for (const [path, text] of files) {
      const name = path.slice('docs/'.length, -'.md'.length);
      assert.ok(served.has(addressOf(name)), `no link leads to ${path}`);
      const source = await get(`/docs/${name}.md`);
      assert.equal(source.type, 'text/markdown; charset=utf-8', path);
      assert.equal(source.text, text, path);
    }
  });

  it('the documentation at /docs has no broken links', () => {
    const broken = pages().flatMap(([path, { text }]) =>
      linksOf(text)
        .filter((link) => !leadsSomewhere(path, link))
        .map((link) => `${path}: ${link}`),
    );
    assert.deepEqual(broken, []);
    assert.ok([...served.values()].every(({ status }) => status === 200));
  });

  function leadsSomewhere(from: string, link: string): boolean {
    const [target = '', fragment] = link.split('#');
    const page = served.get(target === '' ? from : target);
    if (page === undefined) return false;
    return fragment === undefined || page.text.includes(` id="${decodeURIComponent(fragment)}"`);
  }

  it('shows text as text, runs only its own scripts and loads nothing from other hosts', async () => {
    const loaded = new Set<string>();
    for (const [path, { text, policy }] of pages()) {
      assert.match(
        policy,
        /^default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';/,
        path,
      );
      assert.match(policy, /form-action 'none';.*require-trusted-types-for 'script'$/, path);
      assert.doesNotMatch(text, /<(iframe|object|embed|form|base|img|style)\b|\sstyle=|\son\w+=/i);
      assert.doesNotMatch(text, /<script(?![^>]* src="\/docs\/assets\/)|<script[^>]*>[^<]/, path);
      for (const [, file = ''] of text.matchAll(/<(?:script|link)\b[^>]*(?:src|href)="([^"]*)"/g)) {
        loaded.add(file);
      }
      loaded.add(/data-search-index="([^"]*)"/.exec(text)?.[1] ?? '');
      // No Markdown syntax and no editor comments are left.
      const prose = text.replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>|data-call="[^"]*"/gs, '');
      assert.doesNotMatch(prose, /\]\(|&lt;!--|```|\[x\]|^\| /m, path);
      assert.match(text, /<h1[ >]/, path);
    }
    assert.equal(loaded.size, 5, 'a style sheet, a font, two scripts and the search index');
    for (const file of loaded) {
      const { status, text } = await get(file);
      assert.equal(status, 200, file);
      if (/\.(json|woff2)$/.test(file)) continue;
      const others = text.replaceAll(/url\(\/docs\/assets\/[\w.-]+\.woff2\)/g, '');
      assert.doesNotMatch(others, /@import|url\(|https?:\/\//, file);
    }
  });

  it('marks the current page in the navigation', () => {
    for (const { name } of CONTENTS.flatMap((section) => section.pages)) {
      const { text = '' } = served.get(addressOf(name)) ?? {};
      const marked = [...text.matchAll(/<a href="([^"]*)" aria-current=/g)];
      assert.deepEqual(
        marked.map(([, href]) => href),
        [addressOf(name)],
      );
    }
    assert.match(
      served.get('/docs/channels/irc')?.text ?? '',
      /href="\/docs\/channels" aria-current="true"/,
    );
  });

  it('links each page to the previous and the next one', () => {
    const names = CONTENTS.flatMap((section) => section.pages).map(({ name }) => name);
    const at = (rel: string, name: string) => {
      const { text = '' } = served.get(addressOf(name)) ?? {};
      return new RegExp(`<a rel="${rel}" href="([^"]*)"`).exec(text)?.[1];
    };
    let path: string | undefined = '/docs';
    const walked: string[] = [];
    while (path !== undefined && walked.length < 200) {
      walked.push(path);
      const { text = '' }: Partial<Served> = served.get(path) ?? {};
      path = /<a rel="next" href="([^"]*)"/.exec(text)?.[1];
    }
    const listed = walked.filter((one) => !one.startsWith('/docs/reference/'));
    assert.deepEqual(listed, ['/docs', ...names.map(addressOf)]);
    assert.equal(at('prev', names[1] ?? ''), addressOf(names[0] ?? ''));
  });

  it('gives every heading an anchor', () => {
    for (const [path, { text }] of pages()) {
      const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'));
      for (const [, id, inner = ''] of main.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g)) {
        assert.ok(inner.includes(`href="#${id}"`), `${path}#${id}`);
      }
    }
  });

  it('the documentation at /docs lists its pages for programs', async () => {
    const { type, text } = await get('/llms.txt');
    assert.equal(type, 'text/plain; charset=utf-8');
    assert.match(text, /^# Switchboard\n\n> \S.*\n\n## /);
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url]) => url ?? '');
    assert.equal(listed.length, CONTENTS.flatMap((section) => section.pages).length);
    for (const url of listed) assert.equal((await fetch(url)).status, 200, url);
  });

  it('answers 404 for unknown pages', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/nothing.md',
      '/docs/README',
      '/docs/channels/setup/irc',
      '/docs/%2e%2e/package',
      '/docs/generate/generate.ts',
    ]) {
      const { status, type } = await get(path);
      assert.equal(status, 404, path);
      assert.match(type, /problem\+json/);
    }
  });

  it('shows browsers a page for unknown addresses', async () => {
    const { status, type, text, policy } = await get('/docs/nothing', 'text/html,*/*;q=0.8');
    assert.deepEqual([status, type], [404, 'text/html; charset=utf-8']);
    assert.match(policy, /^default-src 'none'/);
    assert.ok(text.includes('<a href="/docs">'));
  });
});

it('the documentation without a build says how to build it', async () => {
  await using sb = await startTestService('sqlite', {
    environment: { SWITCHBOARD_DOCS_DIR: '/nowhere' },
  });
  for (const path of ['/docs', '/docs/sending', '/docs/reference']) {
    const { status, text } = await sb.as(undefined).get(path);
    assert.equal(status, 200, path);
    assert.match(text, /npm run build:docs/);
  }
});

const withoutFragment = (link: string) => link.split('#')[0] || '/docs';

/** Internal links; all others must use https. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href);
  const [own, foreign] = [/^[/#]/, /^https:\/\/|^mailto:|^http:\/\/localhost:\d+/];
  for (const link of links) assert.ok(own.test(link) || foreign.test(link), link);
  return links.filter((link) => own.test(link));
}
