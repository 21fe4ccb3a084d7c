import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, it } from 'node:test';

import { logout } from '../../src/cli/remote/login.ts';
import { readProfiles, writeProfiles } from '../../src/cli/remote/profiles.ts';

const TOKEN = `e30.${Buffer.from('{"iss":"17"}').toString('base64url')}.c2ln`;

/** Logs out of a profile at this URL; returns what was printed. */
async function printedBy(t: TestContext, url: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-logout-'));
  const before = process.env['XDG_CONFIG_HOME'];
  process.env['XDG_CONFIG_HOME'] = folder;
  t.after(() => {
    if (before === undefined) delete process.env['XDG_CONFIG_HOME'];
    else process.env['XDG_CONFIG_HOME'] = before;
    rmSync(folder, { recursive: true });
  });
  writeProfiles({ current: 'mine', profiles: { mine: { url, token: TOKEN } } });
  const lines: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  // The test runner writes its own reports as bytes.
  const { mock } = t.mock.method(process.stdout, 'write', (text: string | Uint8Array) =>
    typeof text === 'string' ? lines.push(text) > 0 : write(text),
  );
  await logout({});
  mock.restore();
  assert.deepEqual(readProfiles().profiles, {});
  return lines.join('');
}

async function serverWith(t: TestContext, status: number, body: object): Promise<string> {
  const server = createServer((_request, response) =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(body)),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('logout says that an application token cannot revoke itself', async (t) => {
  const code = 'wrong_token_kind';
  const url = await serverWith(t, 403, { code, status: 403, title: 'Wrong', detail: 'wrong' });
  assert.match(await printedBy(t, url), /not revoked: an application token cannot revoke itself/);
});

it('logout does not blame the kind of the token when the server is unreachable', async (t) => {
  const printed = await printedBy(t, 'http://127.0.0.1:9');
  assert.match(printed, /Deleted the profile "mine"\. Its token was not revoked: /);
  assert.doesNotMatch(printed, /application token/);
});
