import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const DEFAULTS = {
  consent: {
    allow_transactional: false,
    double_opt_in: false,
    confirmation: { stop: null, start: null },
    help: null,
  },
  contacts: { create_on_inbound: false },
  quiet_hours: { default_zone: null, rules: [] },
  retention: { days: null, service_days: 30 },
};

onEachEngine('the policies of an application', (sb) => {
  async function make() {
    const { application, app } = await sb().application();
    const webhook = { name: 'webhook', token: undefined, address: 'https://hook.example.org/in' };
    await integrate(app, application.id, webhook);
    const path = `/1/applications/${application.id}/policies`;
    const send = async (category: string) => {
      const sent = message({ to: { type: 'Person', id: 'ada' } });
      const { status, body } = await app.post('/1/message', { ...sent, category });
      return status === 202 ? 'accepted' : body.code;
    };
    const record = (state: string) =>
      app.post('/1/consents', { family: 'webhook', address: 'ada', state });
    return { api: sb().api, app, applicationId: application.id, path, send, record };
  }

  it('policies start with the strictest rules, and a change keeps omitted fields', async () => {
    const { api, path } = await make();
    assert.deepEqual((await api.get(path)).body, DEFAULTS);
    const stop = 'Bye. START resumes.';
    const consent = { double_opt_in: true, confirmation: { stop } };
    assert.equal((await api.put(path, { consent })).status, 204);
    await api.put(path, { consent: { help: '' } });
    assert.deepEqual((await api.get(path)).body, {
      ...DEFAULTS,
      consent: {
        ...DEFAULTS.consent,
        double_opt_in: true,
        confirmation: { stop, start: null },
        help: '',
      },
    });
    await api.put(path, { consent: { confirmation: { stop: null } } });
    assert.equal((await api.get(path)).body.consent.confirmation.stop, null);
  });

  it('a wrong value in policies is refused and changes nothing', async () => {
    const { api, path } = await make();
    for (const consent of [
      { double_opt_in: 'yes' },
      { help: 'x'.repeat(481) },
      { confirmation: { stop: 7 } },
      { confirmation: { start: 'a\0b' } },
    ]) {
      const { status } = await api.put(path, {
        consent: { ...consent, allow_transactional: true },
      });
      assert.ok(status === 422 || status === 400, JSON.stringify(consent));
    }
    assert.deepEqual((await api.get(path)).body, DEFAULTS);
  });

  it('the retention is bounded by that of the service, and its changes are audited', async () => {
    const { api, path, applicationId } = await make();
    const set = async (days: unknown) => (await api.put(path, { retention: { days } })).status;
    assert.equal(await set(7), 204);
    for (const days of [0, -1, 1.5, '7', 391, 36_501, 1e300]) {
      const { status, body } = await api.put(path, {
        retention: { days },
        contacts: { create_on_inbound: true },
      });
      const [{ pointer } = { pointer: '' }] = body.errors;
      assert.deepEqual([status, pointer], [422, '/retention/days'], String(days));
    }
    const changed = { ...DEFAULTS, retention: { days: 7, service_days: 30 } };
    assert.deepEqual((await api.get(path)).body, changed);
    assert.equal(await set(390), 204);
    assert.equal(await set(390), 204);
    assert.equal(await set(null), 204);
    assert.deepEqual((await api.get(path)).body, DEFAULTS);
    const { body } = await api.get(`/1/audit?application_id=${applicationId}`);
    const entries: { changes: { field: string; from: unknown; to: unknown }[] }[] = body.data;
    const own = entries
      .flatMap(({ changes }) => changes)
      .filter(({ field }) => field === 'retention.days');
    assert.deepEqual(
      own.map(({ from, to }) => [from, to]),
      [
        ['390', null],
        ['7', '390'],
        [null, '7'],
      ],
    );
  });

  it('double opt-in asks for a granted consent to marketing, at once', async () => {
    const { api, path, send, record } = await make();
    assert.equal(await send('marketing'), 'accepted');
    await api.put(path, { consent: { double_opt_in: true } });
    assert.equal(await send('marketing'), 'recipient_suppressed');
    assert.equal(await send('transactional'), 'accepted');
    await record('pending');
    assert.equal(await send('marketing'), 'recipient_suppressed');
    await record('granted');
    assert.equal(await send('marketing'), 'accepted');
  });

  it('allow_transactional lets other messages than marketing through', async () => {
    const { api, path, send, record } = await make();
    await record('revoked');
    assert.equal(await send('verification'), 'recipient_suppressed');
    await api.put(path, { consent: { allow_transactional: true } });
    assert.equal(await send('verification'), 'accepted');
    assert.equal(await send('marketing'), 'recipient_suppressed');
  });

  it('every change of policies is in the audit log with both values; an equal value is not', async () => {
    const { api, path, applicationId } = await make();
    await api.put(path, { consent: { allow_transactional: true } });
    await api.put(path, { consent: { allow_transactional: true } });
    const { body } = await api.get('/1/audit');
    const changes = body.data
      .filter(
        ({ action, subject }: { action: string; subject: { id: number } }) =>
          action === 'application.updated' && subject.id === applicationId,
      )
      .map((entry: { changes: unknown }) => entry.changes);
    assert.deepEqual(changes, [
      [{ field: 'consent.allow_transactional', from: 'false', to: 'true' }],
    ]);
  });

  it('an application cannot read or change policies, and those of another team do not exist', async () => {
    const { app, path } = await make();
    assert.equal((await app.get(path)).status, 403);
    assert.equal((await app.put(path, DEFAULTS)).status, 403);
    const unknown = await sb().api.get('/1/applications/999999999/policies');
    assert.equal(unknown.status, 404);
  });
});
