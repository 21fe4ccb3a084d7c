import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CONTENTS, addressOf } from '../../src/http/pages/contents.ts';
import { CHROMIUM, openBrowser, openPage } from '../support/programs/browser.ts';
import { axeFaults } from '../support/programs/console.ts';
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
    sb = await startTestService('sqlite', { environment: { SWITCHBOARD_CONSOLE_DIR: '/nowhere' } });
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
      if (page.type.startsWith('text/html')) next.push(...linksOf(page.text).map(withoutFragment));
    }
    return found;
  }

  async function get(path: string): Promise<Served> {
    const response = await fetch(sb.url + path);
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      policy: response.headers.get('content-security-policy') ?? '',
      text: await response.text(),
    };
  }

  const pages = () => [...served].filter(([, { type }]) => type.startsWith('text/html'));

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

  it('shows text as text, runs no scripts and loads nothing from other hosts', () => {
    for (const [path, { text, policy }] of pages()) {
      assert.match(policy, /^default-src 'none'; style-src 'self';/, path);
      assert.doesNotMatch(text, /<(script|iframe|object|embed|form|base|img|style)\b|\sstyle=/i);
      // No Markdown syntax and no editor comments are left.
      const prose = text.replaceAll(/<pre.*?<\/pre>|<code>.*?<\/code>/gs, '');
      assert.doesNotMatch(prose, /\]\(|&lt;!--|```|\[x\]|^\| /m, path);
      assert.match(text, /<h1[ >]/, path);
    }
  });

  it('marks the current page in the navigation', () => {
    for (const { name } of CONTENTS.flatMap((section) => section.pages)) {
      const { text = '' } = served.get(addressOf(name)) ?? {};
      const marked = [...text.matchAll(/<a href="([^"]*)" aria-current="page">/g)];
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

  it('links each page to the next one', () => {
    const names = CONTENTS.flatMap((section) => section.pages).map(({ name }) => name);
    const made = new Set(['errors', 'reference']);
    for (const [i, name] of ['README', ...names].entries()) {
      const next = names[i];
      if (made.has(name) || next === undefined) continue;
      const { text = '' } = served.get(addressOf(name)) ?? {};
      assert.ok(text.includes(`Next: <a href="${addressOf(next)}">`), name);
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

  it(
    'the documentation at /docs is accessible on wide and narrow screens',
    { skip: CHROMIUM.skip },
    async () => {
      await using browser = await openBrowser();
      await using visit = await openPage(browser, `${sb.url}/docs`);
      const { page } = visit;
      for (const [path, width, colorScheme] of [
        ['/docs', 1280, 'light'],
        ['/docs/channels', 390, 'dark'],
        ['/docs/scaling', 390, 'light'],
        ['/docs/errors', 1280, 'dark'],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(sb.url + path);
        assert.deepEqual(await axeFaults(page), [], path);
        const beyond =
          'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        assert.equal(await page.evaluate(beyond), 0, `${path} is wider than the screen`);
      }
      await page.setViewportSize({ width: 390, height: 800 });
      await page.click('text=Contents');
      await page.click('nav >> text=Receiving');
      await page.waitForURL(/\/docs\/receiving$/);
      assert.deepEqual(visit.faults, []);
    },
  );
});

const withoutFragment = (link: string) => link.split('#')[0] || '/docs';

/** Internal links; all others must use https. */
function linksOf(html: string): string[] {
  const links = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href);
  const [own, foreign] = [/^[/#]/, /^https:\/\/|^mailto:|^http:\/\/localhost:\d+/];
  for (const link of links) assert.ok(own.test(link) || foreign.test(link), link);
  return links.filter((link) => own.test(link));
}
