import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';

import { openEndpoint } from '../emulators/endpoint.ts';
import { type TestService, startTestService } from '../support/service/service.ts';

/*
 * Tenants can reach nothing on the service's own machine unless the operator allows it, and never the service's own
 * port.
 */

const SYSTEMD = parseEnv(
  readFileSync(new URL('../../deploy/systemd/environment', import.meta.url), 'utf8'),
);

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/** The webhook tester's result for a URL, without the target's address. */
async function tester(sb: TestService): Promise<(url: string) => Promise<object>> {
  const { application } = await sb.application();
  const path = `/1/applications/${application.id}`;
  return async (url) => {
    const { owner_id, name } = application;
    const changed = await sb.api.put(path, { owner_id, name, state: 'enable', webhook_url: url });
    assert.equal(changed.status, 204, changed.text);
    const { body } = await sb.api.post(`${path}/webhook/test`);
    const { outcome, status, answer, detail } = body;
    return { outcome, status, answer, detail: detail?.replaceAll(new URL(url).host, '') };
  };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

function startWith(environment: Record<string, string>): Promise<TestService> {
  const off = { SWITCHBOARD_ALLOW_LOOPBACK: '' };
  return startTestService('sqlite', {
    environment: { SWITCHBOARD_ROLE: 'all', ...off, ...environment },
  });
}

describe('loopback access', () => {
  it('loopback access is blocked for tenants with the shipped systemd settings, whether or not a port is open', async () => {
    const settings = Object.entries(SYSTEMD).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    );
    await using sb = await startWith(Object.fromEntries(settings));
    const endpoint = await openEndpoint();
    try {
      const test = await tester(sb);
      const { port: own } = new URL(sb.url);
      const { port: open } = new URL(endpoint.url);
      const closed = await closedPort();
      const answers = await Promise.all(
        [`${own}/metrics`, `${open}/`, `${closed}/`].map((target) =>
          test(`http://127.0.0.1:${target}`),
        ),
      );
      for (const answer of answers) {
        assert.partialDeepStrictEqual(answer, { status: null, answer: null });
        assert.deepEqual(answer, answers[0]);
      }
      assert.equal(endpoint.seen.length, 0);
    } finally {
      await endpoint.close();
    }
  });

  for (const allowed of [
    { SWITCHBOARD_ALLOW_NETWORKS: '0.0.0.0/0,::/0' },
    { SWITCHBOARD_ALLOW_LOOPBACK: 'on' },
  ]) {
    const [name = ''] = Object.keys(allowed);
    it(`loopback access is allowed with ${name}, except for the service's own port`, async () => {
      await using sb = await startWith({ SWITCHBOARD_HOST: '0.0.0.0', ...allowed });
      const endpoint = await openEndpoint();
      try {
        const test = await tester(sb);
        const reached = await test(`${endpoint.url}/hook`);
        assert.partialDeepStrictEqual(reached, { outcome: 'sent' });
        const { port } = new URL(sb.url);
        const own = ['127.0.0.1', '127.0.0.2', 'localhost', '0.0.0.0', '[::1]', '[::ffff:7f00:1]'];
        if (outside !== undefined) own.push(outside);
        for (const host of own) {
          const refused = await test(`http://${host}:${port}/metrics`);
          assert.partialDeepStrictEqual(refused, { status: null, answer: null }, host);
        }
      } finally {
        await endpoint.close();
      }
    });
  }
});
