import assert from 'node:assert/strict';
import { it } from 'node:test';

import { SIMULATED_CHANNELS } from '../../src/sandbox/index.ts';
import { call, commandLine } from '../support/programs/command.ts';
import { until } from '../support/until.ts';

const SCENES = 3;
const INTEGRATIONS = 13;

it('demo fills a team, refuses a second time, and removes only its own applications', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_ALLOW_LOOPBACK: 'off' });
  const { url, signIn } = await cli.serve();
  const token = await signIn();
  const environment = {
    XDG_CONFIG_HOME: cli.folder,
    SWITCHBOARD_URL: url,
    SWITCHBOARD_TOKEN: token,
  };
  const run = (...args: string[]) => cli.run(['demo', ...args], { environment });
  const applications = async () => (await call(url, 'GET', '/1/applications', { token })).body.data;
  const list = async (id: number, path: string) => {
    const headers = { 'switchboard-application': String(id) };
    return (await call(url, 'GET', path, { token, headers })).body.data;
  };
  assert.equal((await run('--remove')).code, 0);

  const filled = await run();
  assert.equal(filled.code, 0, filled.stderr);
  assert.notEqual(filled.stderr, '');
  const made: { id: number; name: string }[] = await applications();
  assert.equal(made.length, SCENES);
  const integrations = (
    await Promise.all(made.map(({ id }) => list(id, `/1/applications/${id}/integrations`)))
  ).flat();
  assert.equal(integrations.length, INTEGRATIONS);
  assert.ok(integrations.every(({ mode }) => mode === 'sandbox'));
  const channels = new Set(integrations.map(({ name }) => name));
  assert.ok(channels.size >= Math.min(SIMULATED_CHANNELS.length, INTEGRATIONS / SCENES));
  for (const { id, name } of made) {
    const types = await until(`${name} has failures and answers`, async () => {
      const events = await list(id, '/1/events?limit=1000&type=message.failed,message.received');
      const seen = new Set(events.map(({ type }: { type: string }) => type));
      return seen.size === 2 && seen;
    });
    assert.ok(types.has('message.received'));
    for (const path of [
      '/1/messages?state=sent,delivered,read',
      '/1/messages?state=scheduled',
      '/1/templates',
      '/1/consents',
      '/1/contacts',
      '/1/conversations',
    ]) {
      assert.ok((await list(id, path)).length > 0, `${name}: ${path}`);
    }
    const headers = { 'switchboard-application': String(id) };
    const policies = await call(url, 'GET', `/1/applications/${id}/policies`, { token, headers });
    assert.equal(policies.body.quiet_hours.rules.length, 1);
  }
  const contacts = (await Promise.all(made.map(({ id }) => list(id, '/1/contacts')))).flat();
  assert.ok(contacts.some(({ addresses }) => addresses.length > 1));
  const pools = await Promise.all(made.map(({ id }) => list(id, '/1/pools')));
  assert.equal(pools.flat().length, 1);
  const waiting = await Promise.all(made.map(({ id }) => list(id, '/1/messages?state=queued')));
  assert.ok(waiting.some((messages) => messages.length > 0));

  const again = await run();
  assert.equal(again.code, 1);
  assert.match(again.stderr, /--remove/);
  assert.equal((await applications()).length, SCENES);

  // An application that somebody gave a live integration is theirs.
  const [used] = made;
  assert.ok(used);
  const headers = { 'switchboard-application': String(used.id) };
  const json = { application_id: used.id, name: 'telegram', state: 'enable', token: '1:fake' };
  assert.equal((await call(url, 'POST', '/1/integrations', { token, headers, json })).status, 201);
  const other = await cli.run(['apps', 'create', 'Demo of my own'], { environment });
  assert.equal(other.code, 0, other.stderr);
  const removed = await run('--remove', '--json');
  assert.equal(removed.code, 1);
  assert.equal(JSON.parse(removed.stdout).kept.length, 1);
  assert.deepEqual(
    (await applications()).map(({ name }: { name: string }) => name).toSorted(),
    ['Demo of my own', used.name].toSorted(),
  );
});

it('demo needs the token of a user', async () => {
  await using cli = await commandLine('sqlite');
  const { url, signIn } = await cli.serve();
  const user = await signIn();
  const { body: me } = await call(url, 'GET', '/1/users/me', { token: user });
  const json = { team_id: me.team_id, owner_id: me.id, state: 'enable' };
  const { body } = await call(url, 'POST', '/1/applications', { token: user, json });
  const token = (await cli.run(['token', '--application', String(body.id)])).stdout.trim();
  const environment = { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: token };
  const { code, stderr } = await cli.run(['demo'], { environment });
  assert.equal(code, 2);
  assert.doesNotMatch(stderr, /token_/);
});
