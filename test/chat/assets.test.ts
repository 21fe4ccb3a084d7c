import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';

import { CHAT_ASSETS, EMBED, chatAssets } from '../../src/http/pages/chat-assets.ts';
import { openChat } from '../support/service/chat.ts';
import { ROOT } from '../support/sources.ts';

const FOLDER = join(ROOT, 'webchat');

it('the web chat loads less than 30 KB', async () => {
  const { files } = await chatAssets();
  const sizes = [...files.values()].map(({ gzipped }) => gzipped.length);
  const size = sizes.reduce((sum, each) => sum + each, 0);
  assert.ok(size > 5_000 && size < 30 * 1024, `${size} bytes`);
});

it('the web chat serves all files of its folder and imports no others', async () => {
  const there = readdirSync(FOLDER).filter((name) => name !== 'tsconfig.json');
  assert.deepEqual(there.toSorted(), [...CHAT_ASSETS, EMBED].toSorted());
  const { files } = await chatAssets();
  for (const [name, { text }] of files) {
    for (const [, target] of text.matchAll(/\bfrom '([^']+)'/g)) {
      assert.ok(files.has(target?.replace('./', '') ?? ''), `${name} imports ${target}`);
    }
    assert.doesNotMatch(
      text,
      /@import|url\(|innerHTML|insertAdjacentHTML|document\.write|\beval\(/,
    );
  }
});

it('the web chat passes the type checker', async () => {
  const { stdout } = await promisify(execFile)(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['--noEmit', '-p', FOLDER],
    { cwd: ROOT },
  ).catch((error: unknown) => error as { stdout: string });
  assert.equal(stdout, '');
});

it('web chat files are immutable, and old URLs serve the current files', async () => {
  await using chat = await openChat('sqlite');
  const anyone = chat.service.as(undefined);
  const { text, headers } = await anyone.get(`/chat/${chat.integrationId}`);
  assert.equal(headers.get('cache-control'), 'no-cache');
  const [, script = ''] = /src="([^"]+chat\.js)"/.exec(text) ?? [];
  const current = await anyone.get(script);
  assert.equal(current.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.match(current.headers.get('cache-control') ?? '', /immutable/);
  const old = await anyone.get('/webmessenger/old-hash/chat.js');
  assert.equal(old.headers.get('cache-control'), 'no-cache');
  assert.equal(old.text, current.text);
  for (const name of ['nothing.js', 'tsconfig.json', '..%2f..%2froute.ts', '%2e%2e']) {
    assert.equal((await anyone.get(`/webmessenger/x/${name}`)).status, 404, name);
  }
});

it('web chat files are compressed if the browser accepts gzip', async () => {
  await using chat = await openChat('sqlite');
  const url = `${chat.service.url}/webmessenger.js`;
  const plain = await (await fetch(url, { headers: { 'accept-encoding': 'identity' } })).text();
  const zipped = await fetch(url, { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(zipped.headers.get('content-encoding'), 'gzip');
  assert.equal(zipped.headers.get('vary'), 'accept-encoding');
  assert.equal(await zipped.text(), plain);
  const { files } = await chatAssets();
  assert.equal(gunzipSync(files.get(EMBED)?.gzipped ?? '').toString(), plain);
});

it('the content security policy of the web chat allows only what it needs', async () => {
  for (const [address, ancestors] of [
    [undefined, '*'],
    ['https://a.example https://*.b.example', 'https://a.example https://*.b.example'],
    ["https://a.example; script-src 'unsafe-inline'", "'none'"],
    ["nonsense 'self'", "'none'"],
  ] as const) {
    await using chat = await openChat('sqlite', address === undefined ? {} : { address });
    const { headers } = await chat.service.as(undefined).get(`/chat/${chat.integrationId}`);
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    assert.deepEqual(policy, [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      'img-src https: http: blob:',
      'media-src https: http:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${ancestors}`,
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});
