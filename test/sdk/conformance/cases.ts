import assert from 'node:assert/strict';

import { Webhook } from 'standardwebhooks';

import { newWebhookSecret } from '../../../src/lib/crypto/standard-webhooks.ts';
import { openProxy } from '../../faults/scenarios/proxy.ts';
import { startTestService } from '../../support/service/service.ts';
import { append, userClient } from '../support.ts';
import { CALL_CASES } from './calls.ts';
import type { Driver } from './driver.ts';
import { PEOPLE_CASES } from './people.ts';
import { SANDBOX_CASES } from './sandbox.ts';
import { TEMPLATE_CASES } from './templates.ts';

/* What every client must do, whatever its language. */

export type Case = readonly [name: string, run: (driver: Driver) => Promise<void>];

/** A service with an application; the driver has its token. */
async function openService(driver: Driver, settings: { url?: string; retries?: number } = {}) {
  const sb = await startTestService('sqlite');
  const { application } = await sb.application();
  const applicationId = Number(application.id);
  const token = await sb.applicationToken(applicationId);
  await driver.ask('open', { url: sb.url, token, ...settings });
  return { sb, applicationId, token };
}

async function valueOf<Value = unknown>(
  driver: Driver,
  ...asked: Parameters<Driver['ask']>
): Promise<Value> {
  const { value, error } = await driver.ask(...asked);
  assert.equal(error, undefined, JSON.stringify(error));
  return value as Value;
}

interface Shown {
  id: number;
  state: string;
}

const telegram = { channel: 'telegram', token: '1:fake' };
const idsOf = (items: readonly { id: number }[]) => items.map(({ id }) => id);

const SERVICE_CASES: readonly Case[] = [
  [
    'sends, previews, lists, cancels and resends messages',
    async (driver) => {
      const { sb } = await openService(driver);
      await using closing = sb;
      await valueOf(driver, 'integrate', telegram);
      const preview = await valueOf<{ ready: boolean; parts: { call: string }[] }>(
        driver,
        'dry_run',
        { message: { to: '1', markdown: '**Hello**' } },
      );
      assert.deepEqual([preview.ready, preview.parts[0]?.call], [true, 'sendMessage']);
      assert.deepEqual(await valueOf(driver, 'list', {}), []);
      const message = { to: '1', text: 'Grüße 👋' };
      const sent = await valueOf<Shown>(driver, 'send', {
        message: { message, options: { silent: true } },
      });
      const { id } = sent;
      const shown = await valueOf<Shown & { options: unknown; message: { object: object } }>(
        driver,
        'get',
        { id },
      );
      assert.deepEqual([shown.state, shown.options], ['queued', { silent: true }]);
      assert.deepEqual(shown.message.object, { type: 'Note', content: 'Grüße 👋' });
      assert.deepEqual(await valueOf(driver, 'attempts', { id }), []);
      assert.equal((await driver.ask('resend', { id })).error?.code, 'message_unsettled');
      assert.equal(await valueOf(driver, 'cancel', { id }), null);
      assert.equal((await valueOf<Shown>(driver, 'settled', { id })).state, 'canceled');
      assert.equal((await valueOf<Shown>(driver, 'resend', { id })).id, id);
      assert.deepEqual(idsOf(await valueOf(driver, 'list', { state: 'queued', to: '1' })), [id]);
      assert.deepEqual(await valueOf(driver, 'list', { state: 'sent' }), []);
      const channel = await valueOf<{ title: string }>(driver, 'channel', { name: ' Telegram ' });
      assert.equal(channel.title, 'Telegram');
      assert.equal(await valueOf(driver, 'channel', { name: 'pigeon' }), null);
      assert.ok(closing);
    },
  ],
  [
    'sends large batches in order, once, and reports what was accepted before an error',
    async (driver) => {
      const { sb } = await openService(driver);
      await using closing = sb;
      await valueOf(driver, 'integrate', telegram);
      const messages = Array.from({ length: 2_001 }, (_, i) => ({ to: '1', text: String(i) }));
      const given = { messages, idempotency_key: 'all' };
      const accepted = await valueOf<Shown[]>(driver, 'send_all', given);
      assert.equal(accepted.length, 2_001);
      assert.ok(accepted.every(({ id }, i) => i === 0 || id > (accepted[i - 1]?.id ?? 0)));
      assert.deepEqual(await valueOf(driver, 'send_all', given), accepted);
      const large = Array.from({ length: 50 }, () => ({ to: '1', text: 'ü'.repeat(100_000) }));
      assert.equal((await valueOf<Shown[]>(driver, 'send_all', { messages: large })).length, 50);
      const wrong = [...messages.slice(0, 1_000), { to: '', text: 'x' }];
      const { error } = await driver.ask('send_all', { messages: wrong });
      assert.deepEqual([error?.code, error?.accepted], ['invalid_fields', 1_000]);
      assert.deepEqual(await valueOf(driver, 'send_all', { messages: [] }), []);
      assert.ok(closing);
    },
  ],
  [
    'records, lists, imports and exports consents',
    async (driver) => {
      const { sb } = await openService(driver);
      await using closing = sb;
      const stop = { family: 'sms', address: '+15558675310', consent_state: 'revoked' } as const;
      const recorded = await valueOf<{ id: number }>(driver, 'set_consent', stop);
      const { history } = await valueOf<{ history: unknown[] }>(driver, 'consent', recorded);
      assert.equal(history.length, 1);
      const text = 'family,address,state\nemail,ada@example.com,granted\nfax,1,granted\n';
      const result = await valueOf<Record<string, unknown>>(driver, 'import_consents', { text });
      assert.deepEqual([result['imported'], result['failed']], [1, 1]);
      const file = await valueOf<string>(driver, 'export_consents', {});
      assert.equal(file.trim().split('\r\n').length, 3);
      assert.equal((await valueOf<unknown[]>(driver, 'consents', {})).length, 2);
      const people = { text: 'external_id,sms\na,+15558675310\nb,none\n' };
      const begun = await valueOf<{ id: number }>(driver, 'import_contacts', people);
      const { total } = await valueOf<{ total: number }>(driver, 'contact_import', begun);
      assert.equal(total, 2);
      const errors = await valueOf<{ line: number }[]>(driver, 'contact_import_errors', begun);
      assert.deepEqual(
        errors.map(({ line }) => line),
        [3],
      );
      await valueOf(driver, 'integrate', telegram);
      const message = { to: '1', text: 'Hello' };
      const sent = await valueOf<Shown>(driver, 'send', { message, category: 'marketing' });
      const shown = await valueOf<{ category: string }>(driver, 'get', { id: sent.id });
      assert.equal(shown.category, 'marketing');
      assert.ok(closing);
    },
  ],
  [
    'sends a message once although connections break',
    async (driver) => {
      const { sb, token } = await openService(driver);
      await using closing = sb;
      await valueOf(driver, 'integrate', telegram);
      await using proxy = await openProxy(Number(new URL(sb.url).port));
      await driver.ask('open', { url: `http://127.0.0.1:${proxy.port}`, token, retries: 10 });
      const cuts = ['answer', 'question', 'answer'] as const;
      for (const text of cuts) {
        proxy.cutAll(text);
        proxy.cutNext(text);
        await valueOf(driver, 'send', { message: { to: '1', text } });
      }
      assert.ok(proxy.count > 0);
      assert.equal((await valueOf<Shown[]>(driver, 'list', {})).length, cuts.length);
      assert.deepEqual(await valueOf(driver, 'pages', { limit: 2 }), [2, 1]);
      assert.ok(closing);
    },
  ],
  [
    'reports the code, the invalid field and the request id of a failed call',
    async (driver) => {
      const { sb } = await openService(driver);
      await using closing = sb;
      const { error } = await driver.ask('send', { message: { to: '', text: 'Hello' } });
      assert.deepEqual([error?.code, error?.status], ['invalid_fields', 422]);
      assert.equal(error?.errors?.[0]?.pointer, '/message/to/id');
      assert.match(error?.text ?? '', /\(invalid_fields\)$/);
      assert.ok(sb.logs.some((line) => line.includes(error?.requestId ?? '-')));
      assert.equal((await driver.ask('user', {})).error?.code, 'wrong_token_kind');
      await driver.ask('open', { url: sb.url });
      assert.equal((await driver.ask('user', {})).error?.code, 'token_missing');
      assert.ok(closing);
    },
  ],
  [
    'signs tokens with a key, and acts for an application',
    async (driver) => {
      const { sb, applicationId } = await openService(driver);
      await using closing = sb;
      const { id, secret } = await userClient(sb).applicationKeys.create(applicationId);
      await driver.ask('open', { url: `${sb.url}/`, key: { id, secret } });
      assert.equal((await valueOf<Shown>(driver, 'application', {})).id, applicationId);
      await driver.ask('open', { url: sb.url, key: { id, secret: 'fake-secret' } });
      assert.equal((await driver.ask('application', {})).error?.code, 'token_invalid');
      await driver.ask('open', { url: sb.url, token: sb.api.token ?? '' });
      await driver.ask('act_for', { id: applicationId });
      assert.equal((await valueOf<Shown>(driver, 'application', {})).id, applicationId);
      assert.equal((await valueOf<Shown>(driver, 'user', {})).id, sb.owner.id);
      assert.ok(closing);
    },
  ],
  [
    'reads events from a position, each once and in order, while connections break',
    async (driver) => {
      const { sb, applicationId, token } = await openService(driver);
      await using closing = sb;
      await using proxy = await openProxy(Number(new URL(sb.url).port));
      await driver.ask('open', { url: `http://127.0.0.1:${proxy.port}`, token });
      await append(sb, applicationId, 250);
      const reading = valueOf<Shown[]>(driver, 'events', { after: 20, count: 240 });
      proxy.leadTo(Number(new URL(sb.url).port));
      await append(sb, applicationId, 10);
      const expected = Array.from({ length: 240 }, (_, i) => 21 + i);
      assert.deepEqual(idsOf(await reading), expected);
      const types = ['message.canceled', 'message.failed'] as const;
      await valueOf(driver, 'integrate', telegram);
      const sent = await valueOf<Shown>(driver, 'send', { message: { to: '1', text: 'Hello' } });
      await valueOf(driver, 'cancel', { id: sent.id });
      const [found] = await valueOf<{ id: number; type: string }[]>(driver, 'events', {
        types: [...types],
        count: 1,
      });
      assert.deepEqual([found?.id, found?.type], [261, 'message.canceled']);
      await driver.ask('open', { url: sb.url, token: 'nonsense' });
      const { error } = await driver.ask('events', { count: 1 });
      assert.equal(error?.code, 'token_invalid');
      assert.ok(closing);
    },
  ],
];

const NOW = 1_794_735_000;
const BODY = JSON.stringify({ id: 1, type: 'message.sent', timestamp: 't', data: {} });

function signed(secret: string, body = BODY, at = NOW): Record<string, string> {
  return {
    'Webhook-Id': 'evt_1_1',
    'webhook-timestamp': String(at),
    'webhook-signature': new Webhook(secret).sign('evt_1_1', new Date(at * 1000), body),
  };
}

const WEBHOOK_CASES: readonly Case[] = [
  [
    'verifies webhooks, also during a rotation',
    async (driver) => {
      const [one, two, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
      const both = `${signed(other)['webhook-signature']} ${signed(two)['webhook-signature']}`;
      for (const headers of [
        signed(one),
        signed(two),
        { ...signed(one), 'webhook-signature': both },
      ]) {
        const given = { body: BODY, headers, secrets: [one, two], now: NOW };
        assert.deepEqual(await valueOf(driver, 'verify', given), JSON.parse(BODY));
      }
      const late = { body: BODY, headers: signed(one, BODY, NOW - 301), secrets: [one], now: NOW };
      assert.equal((await driver.ask('verify', late)).error?.kind, 'webhook');
      assert.ok(await valueOf(driver, 'verify', { ...late, tolerance: 600 }));
    },
  ],
  [
    'refuses webhooks with missing, wrong and outdated signatures',
    async (driver) => {
      const secret = newWebhookSecret();
      const good = signed(secret);
      for (const [body, headers] of [
        [BODY, {}],
        [BODY, { ...good, 'webhook-timestamp': 'now' }],
        [BODY, { ...good, 'webhook-timestamp': '９'.repeat(10) }],
        [BODY, { ...good, 'webhook-timestamp': '9'.repeat(30) }],
        [BODY, signed(secret, BODY, NOW + 301)],
        [`${BODY} `, good],
        [BODY, signed(newWebhookSecret())],
        [BODY, { ...good, 'Webhook-Id': 'evt_1_2' }],
        [BODY, { ...good, 'webhook-signature': '' }],
        [BODY, { ...good, 'webhook-signature': 'v1,!!!! v2,AAAA v1' }],
        [BODY, { ...good, 'webhook-signature': 'v1,é' }],
        ['[]', signed(secret, '[]')],
        ['{', signed(secret, '{')],
        ['['.repeat(100_000), signed(secret, '['.repeat(100_000))],
      ] as [string, Record<string, string>][]) {
        const { error } = await driver.ask('verify', {
          body,
          headers,
          secrets: [secret],
          now: NOW,
        });
        assert.equal(error?.kind, 'webhook', JSON.stringify(headers));
      }
      for (const secrets of [[], [''], ['whsec_fake!']]) {
        const { error } = await driver.ask('verify', {
          body: BODY,
          headers: good,
          secrets,
          now: NOW,
        });
        assert.equal(error?.kind, 'usage');
      }
    },
  ],
];

export const CASES: readonly Case[] = [
  ...CALL_CASES,
  ...SERVICE_CASES,
  ...SANDBOX_CASES,
  ...PEOPLE_CASES,
  ...TEMPLATE_CASES,
  ...WEBHOOK_CASES,
];
