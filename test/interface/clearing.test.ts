import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { CREDENTIALS } from '../../src/model/integration.ts';
import { message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';

const all = (value: string | null) => Object.fromEntries(CREDENTIALS.map((name) => [name, value]));

interface Schema {
  $ref?: string;
  type?: string;
  required?: string[];
  properties?: Record<string, Schema>;
}

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: Schema }> };
}

describe('optional strings', () => {
  it('optional strings that are null on creation count as absent', async () => {
    await using sb = await startTestService('sqlite');
    const { application, app } = await sb.application({ name: null, webhook_url: null });
    assert.match(application.name, /^[a-z-]+-\d+$/);
    assert.equal(application.webhook_url, null);
    const { status, body } = await app.post('/1/integrations', {
      application_id: application.id,
      name: 'telegram',
      state: 'enable',
      ...all(null),
    });
    assert.equal(status, 201);
    for (const name of CREDENTIALS) assert.ok(!(name in body), name);
    const user = await sb.api.post('/1/users', {
      email: 'ada@example.com',
      state: 'enable',
      name: null,
      password: null,
    });
    assert.deepEqual([user.status, user.body.name], [201, 'ada']);
    const invited = await sb.api.post('/1/invitations', { email: null });
    assert.deepEqual([invited.status, invited.body.email], [201, null]);
    const key = { resource_id: application.id, state: 'enable', label: null };
    const made = await sb.api.post('/1/keys/applications', key);
    assert.deepEqual([made.status, made.body.label], [201, null]);
    const at = `/1/applications/${application.id}/tokens`;
    assert.equal((await sb.api.post(at, { label: null })).status, 201);
    const consent = { family: 'sms', address: '+15558675310', state: 'granted' };
    const granted = await app.post('/1/consents', { ...consent, scope: null, evidence: null });
    assert.deepEqual([granted.status, granted.body.scope], [201, 'all']);
    const dry = await app.post('/1/message?dry_run=true', { ...message(), category: null });
    assert.equal(dry.status, 200);
  });

  it('every optional string of a new resource may be null', async () => {
    await using sb = await startTestService('sqlite');
    const { paths, components } = (await (await fetch(`${sb.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, Schema> };
    };
    const resolved = (schema: Schema = {}): Schema =>
      schema.$ref === undefined
        ? schema
        : resolved(components.schemas[schema.$ref.split('/').at(-1) ?? '']);
    const strict = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ operationId }) => /^(?:create|send|set)[A-Z]/.test(operationId))
      .flatMap(({ operationId, requestBody }) => {
        const body = resolved(requestBody?.content['application/json']?.schema);
        return Object.entries(body.properties ?? {})
          .filter(([name]) => !body.required?.includes(name))
          .filter(([, property]) => resolved(property).type === 'string')
          .map(([name]) => `${operationId} ${name}`);
      });
    assert.deepEqual(strict, []);
  });

  for (const empty of [null, '']) {
    it(`optional strings that are ${JSON.stringify(empty)} on update are cleared`, async () => {
      await using sb = await startTestService('sqlite');
      const { application, app } = await sb.application({
        name: 'order-updates',
        webhook_url: 'https://example.com/hook',
      });
      const at = `/1/applications/${application.id}`;
      assert.equal((await sb.api.put(at, { webhook_url: empty, name: empty })).status, 204);
      const { body: changed } = await sb.api.get(at);
      assert.equal(changed.webhook_url, null);
      assert.match(changed.name, /^[a-z-]+-\d+$/);

      const { body: integration } = await app.post('/1/integrations', {
        application_id: application.id,
        name: 'telegram',
        state: 'enable',
        ...all('fake'),
      });
      const one = `/1/integrations/${integration.id}`;
      assert.equal((await app.put(one, { name: 'telegram', ...all(empty) })).status, 204);
      const { body: cleared } = await app.get(one);
      for (const name of CREDENTIALS) assert.ok(!(name in cleared), name);

      const own = { email: sb.owner.email, state: 'enable', name: empty };
      assert.equal((await sb.api.put(`/1/users/${sb.owner.id}`, own)).status, 204);
      const { body: me } = await sb.api.get('/1/users/me');
      assert.equal(me.name, sb.owner.email.split('@')[0]);
    });
  }

  it('an empty string does not clear a password, without which the user could not sign in', async () => {
    await using sb = await startTestService('sqlite');
    for (const password of [null, '']) {
      const own = { email: sb.owner.email, state: 'enable', password };
      assert.equal((await sb.api.put(`/1/users/${sb.owner.id}`, own)).status, 422);
    }
  });
});
