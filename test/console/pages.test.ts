import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';

import { startTestService } from '../support/service/service.ts';

/** A minimal build of the console. */
function build(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-console-'));
  mkdirSync(join(folder, 'assets'));
  const put = (name: string, content: string | Uint8Array) =>
    writeFileSync(join(folder, name), content);
  put('index.html', '<!doctype html><title>Console</title>');
  put('secret.txt', 'private');
  put('assets/index-a1b2.js', SCRIPT);
  put('assets/packed-c3d4.js', SCRIPT);
  put('assets/packed-c3d4.js.br', brotliCompressSync(SCRIPT));
  put('assets/logo-e5f6.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  put('assets/notes.txt', 'not a served type');
  return folder;
}

const SCRIPT = `console.log('hello');\n`.repeat(100);

describe('console: built files', () => {
  const folder = build();
  after(() => rmSync(folder, { recursive: true }));
  const start = (environment: Record<string, string> = {}) =>
    startTestService('sqlite', {
      environment: { SWITCHBOARD_CONSOLE_DIR: folder, ...environment },
    });

  it('all console paths serve one page', async () => {
    await using sb = await start();
    for (const path of ['/', '/sign-in', '/app', '/app/', '/app/messages/17?state=failed']) {
      const { status, text, headers } = await sb.as(undefined).get(path);
      assert.deepEqual([status, text], [200, '<!doctype html><title>Console</title>'], path);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    for (const path of ['/apps', '/console', '/sign-in/x', '/index.html']) {
      assert.equal((await sb.as(undefined).get(path)).status, 404, path);
    }
    const posted = await sb.as(undefined).post('/app/messages');
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('the content security policy of the console allows only its own scripts and no framing', async () => {
    await using sb = await start();
    const { headers } = await sb.as(undefined).get('/app/overview');
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    );
    assert.deepEqual(policy, {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'connect-src': "'self'",
      'font-src': "'self'",
      'frame-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'require-trusted-types-for': "'script'",
    });
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.equal(headers.get('strict-transport-security'), null);
  });

  it('the console sends HSTS when it is reached through https', async () => {
    await using sb = await start({ SWITCHBOARD_TRUST_PROXY: '127.0.0.1' });
    const forwarded = sb.as(undefined).with({ 'x-forwarded-proto': 'https' });
    const { headers } = await forwarded.get('/app');
    assert.equal(headers.get('strict-transport-security'), 'max-age=31536000');
  });

  it('console files are immutable and compressed as the browser accepts', async () => {
    await using sb = await start();
    const get = (name: string, encoding: string, more: Record<string, string> = {}) =>
      fetch(`${sb.url}/assets/${name}`, { headers: { 'accept-encoding': encoding, ...more } });
    const plain = await get('index-a1b2.js', 'identity');
    assert.equal(await plain.text(), SCRIPT);
    assert.equal(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(plain.headers.get('vary'), 'accept-encoding');
    for (const [name, accepted, given] of [
      ['index-a1b2.js', 'br, gzip', 'gzip'],
      ['packed-c3d4.js', 'gzip, deflate, br', 'br'],
      ['packed-c3d4.js', 'gzip', 'gzip'],
      ['logo-e5f6.png', 'gzip, br', null],
    ] as const) {
      const { headers, status } = await get(name, accepted);
      assert.deepEqual([status, headers.get('content-encoding')], [200, given], name);
    }
    const raw = await fetch(`${sb.url}/assets/index-a1b2.js`, { method: 'HEAD' });
    assert.ok(Number(raw.headers.get('content-length')) > 0);
    const etag = plain.headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]+"$/);
    assert.notEqual((await get('index-a1b2.js', 'gzip')).headers.get('etag'), etag);
    const known = await get('index-a1b2.js', 'identity', { 'if-none-match': etag });
    assert.deepEqual([known.status, await known.text()], [304, '']);
  });

  it('files outside the console folder or of other types are not served', async () => {
    await using sb = await start();
    for (const name of [
      'missing.js',
      '..%2findex.html',
      '..%2fsecret.txt',
      '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
      '.env',
      'notes.txt',
      'index-a1b2.js%00.png',
      '..%5csecret.js',
    ]) {
      assert.equal((await sb.as(undefined).get(`/assets/${name}`)).status, 404, name);
    }
  });
});

describe('console: not built', () => {
  it('without a build, the page says how to build the console and the API works', async () => {
    await using sb = await startTestService('sqlite', {
      environment: { SWITCHBOARD_CONSOLE_DIR: '/nowhere' },
    });
    for (const path of ['/', '/sign-in', '/app/messages']) {
      const { status, text } = await sb.as(undefined).get(path);
      assert.equal(status, 200);
      assert.match(text, /npm run build:console/, path);
    }
    assert.equal((await sb.as(undefined).get('/assets/index.js')).status, 404);
    assert.equal((await sb.api.get('/1/applications')).status, 200);
  });
});
