import assert from 'node:assert/strict';
import { it } from 'node:test';

import { openApiPath } from '../src/http/openapi/document.ts';
import { PROBLEMS } from '../src/model/problem.ts';
import { call, commandLine } from './support/programs/command.ts';
import { buildDocs } from './support/programs/docs.ts';
import { startTestService } from './support/service/service.ts';
import { openConnection } from './support/service/socket.ts';

const PAGES = ['/docs', '/sign-in'];
/** Without a built console and documentation, so that their paths show pages of the service itself. */
const environment = { SWITCHBOARD_CONSOLE_DIR: '/nowhere', SWITCHBOARD_DOCS_DIR: '/nowhere' };

const built = () => ({ SWITCHBOARD_DOCS_DIR: buildDocs() });

it('pages load nothing from other hosts and run no scripts', async () => {
  await using sb = await startTestService('sqlite', { environment });
  for (const path of PAGES) {
    const { text, headers } = await sb.as(undefined).get(path);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8', path);
    assert.deepEqual(loadedBy(text), [], path);
    assert.doesNotMatch(text, /<(script|iframe|object|embed|form|base)\b|\son\w+\s*=|javascript:/i);
    for (const href of linksOf(text)) assert.match(href, /^(\/|#)/, 'a link stays on the service');
  }
});

it('the policy of pages forbids everything they do not need', async () => {
  await using sb = await startTestService('sqlite', { environment });
  for (const path of PAGES) {
    const { headers } = await sb.as(undefined).get(path);
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split(';').map((directive) => {
        const [name = '', ...sources] = directive.trim().split(/\s+/);
        return [name, sources.join(' ').replace(/^'sha256-.*'$/, 'its own hash')];
      }),
    );
    assert.deepEqual(
      policy,
      {
        'default-src': "'none'",
        'style-src': 'its own hash',
        'base-uri': "'none'",
        'form-action': "'none'",
        'frame-ancestors': "'none'",
      },
      path,
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  }
});

it('pages have no broken links', async () => {
  await using sb = await startTestService('sqlite', { environment });
  const anyone = sb.as(undefined);
  for (const path of PAGES) {
    const { text } = await anyone.get(path);
    for (const href of [...linksOf(text), ...loadedBy(text)]) {
      const [target = '', fragment] = href.split('#');
      const page = target === '' ? { status: 200, text } : await anyone.get(target);
      assert.equal(page.status, 200, href);
      if (fragment) assert.ok(page.text.includes(`id="${fragment}"`), `${path} has ${href}`);
    }
  }
});

it('the reference describes every call', async () => {
  await using sb = await startTestService('sqlite', { environment: built() });
  const anyone = sb.as(undefined);
  const { text: overview } = await anyone.get('/docs/reference');
  const pages = new Map<string, string>();
  for (const { method, path, operationId } of sb.service.routes) {
    const shown = `>${method}</b> <code>${openApiPath(path)}</code>`;
    assert.ok(overview.includes(shown), operationId);
    const [, page = ''] =
      new RegExp(`href="(/docs/reference/[\\w-]+)#${operationId}"`).exec(overview) ?? [];
    if (!pages.has(page)) pages.set(page, (await anyone.get(page)).text);
    assert.ok(pages.get(page)?.includes(`<h2 id="${operationId}">`), `${page}#${operationId}`);
    assert.ok(pages.get(page)?.includes(shown), operationId);
  }
});

it('the error page explains every error under its own anchor, which its type links to', async () => {
  await using sb = await startTestService('sqlite', { environment: built() });
  const anyone = sb.as(undefined);
  const { text } = await anyone.get('/docs/errors');
  const anchors = [...text.matchAll(/<tr id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(anchors.toSorted(), Object.keys(PROBLEMS).toSorted());
  const { body } = await anyone.get('/nothing');
  assert.equal(body.type, '/docs/errors#not_found');
});

it('without a console, the page shows a working command to exchange a code', async () => {
  await using cli = await commandLine('sqlite', environment);
  const { url, code = '' } = await cli.serve();
  const { text } = await call(url, 'GET', '/sign-in');
  assert.match(text, /<code>#code=<\/code>/);
  const [, shown = ''] = /<pre tabindex="0"><code>curl ([^<]*)<\/code>/.exec(text) ?? [];
  const command = shown.replaceAll('&quot;', '"').replaceAll(/\s*\\\n\s*/g, ' ');
  const [, address = '', type = '', body = ''] =
    /^(\S+) -H 'Content-Type: (\S+)' -d '(.*)'$/.exec(command) ?? [];
  assert.equal(address, `${url}/1/tokens`);
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': type },
    body: body.replace('THE-CODE', code),
  });
  assert.equal(response.status, 201);
});

it('pages escape everything they repeat', async () => {
  await using sb = await startTestService('sqlite', { environment });
  using connection = await openConnection(sb.url);
  connection.send('GET /sign-in HTTP/1.1\r\nHost: <script>"\r\nConnection: close\r\n\r\n');
  const answer = await connection.closed;
  assert.match(answer, /^HTTP\/1\.1 200 OK[^]*&lt;script&gt;&quot;/);
  assert.doesNotMatch(answer, /<script>/);
});

it('browsers get errors as a page, and programs as a problem document', async () => {
  await using sb = await startTestService('sqlite');
  const ask = (path: string, accept: string, method = 'GET') =>
    fetch(sb.url + path, { method, headers: { accept } });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  for (const [path, method, status] of [
    ['/nothing/<script>', 'GET', 404],
    ['/assets/missing.js', 'GET', 404],
    ['/docs', 'POST', 405],
    ['/%', 'GET', 404],
  ] as const) {
    const page = await ask(path, browser, method);
    const text = await page.text();
    assert.deepEqual([page.status, loadedBy(text)], [status, []], path);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual(
      [page.headers.get('vary'), page.headers.get('cache-control')],
      ['accept', 'no-store'],
    );
    assert.doesNotMatch(text, /<script/);
    assert.ok(text.includes(page.headers.get('x-request-id') ?? '?'), 'it names the request');
    if (status === 405) assert.equal(page.headers.get('allow'), 'GET, HEAD');
    const document = await ask(path, '*/*', method);
    assert.deepEqual(
      [document.status, document.headers.get('content-type')],
      [status, 'application/problem+json; charset=utf-8'],
    );
  }
  for (const path of ['/1/nothing', '/1', '/console/nothing']) {
    const { headers } = await ask(path, browser);
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, path);
  }
});

/** Resources that a browser would fetch for the page. */
function loadedBy(html: string): string[] {
  const tags = html.matchAll(
    /<(?:link|script|img|iframe|source|video|audio|object|embed)\b[^>]*>/gi,
  );
  const loaded = [...tags].flatMap(([tag]) =>
    Array.from(tag.matchAll(/\b(?:src|href|data|srcset|poster)\s*=\s*"([^"]*)"/gi)),
  );
  assert.doesNotMatch(html, /\sstyle\s*=|@import|url\(/i);
  return loaded.map(([, address]) => address ?? '');
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/gi)].map(([, href]) => href ?? '');
}
