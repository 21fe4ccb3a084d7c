import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import type { Client } from '../support/service/client.ts';
import { type TestService, startTestService } from '../support/service/service.ts';

const DAY_MS = 86_400_000;
const AT = new Date(Date.now() + DAY_MS).toISOString();
const TEMPLATE = { name: 'order' };

/** Names beside the activity, and the field that the error names. */
const BESIDE: readonly (readonly [string, unknown, string, string?])[] = [
  ['sendAt', AT, 'send_at'],
  ['SEND-AT', AT, 'send_at'],
  ['sent_at', AT, 'send_at'],
  ['send_at~', AT, 'send_at', '/send_at~0'],
  ['send_at ', AT, 'send_at'],
  ['scheduled_at', AT, 'send_at'],
  ['scheduledAt', AT, 'send_at'],
  ['schedule', { time: AT }, 'send_at'],
  ['scheduledDatetime', AT, 'send_at'],
  ['deliver_at', AT, 'send_at'],
  ['send_after', AT, 'send_at'],
  ['post_at', AT, 'send_at'],
  ['start_time', AT, 'startTime'],
  ['endTime', AT, 'endTime'],
  ['expires_at', AT, 'endTime'],
  ['route', [], 'routes'],
  ['Routes', [], 'routes'],
  ['fallback', 'sms', 'routes'],
  ['failover', [], 'routes'],
  ['via', 'sms', 'routes'],
  ['templates', TEMPLATE, 'template'],
  ['templateId', 'order', 'template'],
  ['ContentSid', 'HX1', 'template'],
  ['contentVariables', {}, 'template'],
  ['outsideWindow', TEMPLATE, 'outside_window'],
  ['outside_windows', TEMPLATE, 'outside_window'],
  ['window_template', TEMPLATE, 'outside_window'],
  ['categories', ['marketing'], 'category'],
  ['catagory', 'marketing', 'category'],
  ['tempalte', TEMPLATE, 'template'],
  ['optons', {}, 'options'],
  ['message_type', 'marketing', 'category'],
  ['traffic-type', 'marketing', 'category'],
  ['option', {}, 'options'],
  ['channelOptions', {}, 'options'],
  ['overrides', {}, 'options'],
];

/** Instructions with a member that stands for another: its place, and the field that the error names. */
const INSIDE: readonly (readonly [Record<string, unknown>, string, string])[] = [
  [{ routes: [{ channel: 'sms' }] }, '/routes/0/channel', 'via'],
  [{ routes: [{ via: 'sms', delay: 'PT2M' }] }, '/routes/0/delay', 'after'],
  [{ routes: [{ via: 'sms', Until: 'read' }] }, '/routes/0/Until', 'until'],
  [{ routes: [{ via: 'sms', recipient: '+1' }] }, '/routes/0/recipient', 'to'],
  [{ routes: [{ via: 'sms', send_at: AT }] }, '/routes/0/send_at', 'beside message'],
  [{ routes: [{ via: 'sms', catagory: 'marketing' }] }, '/routes/0/catagory', 'beside message'],
  [{ routes: [{ template: { ...TEMPLATE, vars: {} } }] }, '/routes/0/template/vars', 'parameters'],
  [{ template: { ...TEMPLATE, params: {} } }, '/template/params', 'parameters'],
  [{ template: { ...TEMPLATE, locale: 'pt' } }, '/template/locale', 'language'],
  [{ outside_window: { ...TEMPLATE, lang: 'pt' } }, '/outside_window/lang', 'language'],
  [
    { send_at: { local: '09:00', zone: 'recipient', date: '2027-01-01' } },
    '/send_at/date',
    'local',
  ],
];

describe('a member that stands for an instruction is refused', () => {
  let service: TestService;
  let app: Client;
  let scheduled: string;

  before(async () => {
    service = await startTestService('sqlite');
    const made = await service.application();
    app = made.app;
    const webhook = { name: 'webhook', token: undefined, address: 'https://hook.example.org/in' };
    await integrate(app, made.application.id, webhook);
    const { body } = await app.post('/1/message', { ...message(), send_at: AT });
    scheduled = `/1/messages/${body.id}`;
  });

  after(() => service[Symbol.asyncDispose]());

  /** In a message, an item of a batch, and the change of a scheduled message. */
  async function refused(members: Record<string, unknown>, pointer: string, field: string) {
    const request = { ...message(), ...members };
    for (const [at, send] of [
      ['', () => app.post('/1/message', request)],
      ['', () => app.post('/1/message?dry_run=true', request)],
      ['/messages/1', () => app.post('/1/messages', { messages: [message().message, request] })],
      ['', () => app.put(scheduled, request)],
    ] as const) {
      const { status, body } = await send();
      assert.deepEqual([status, body.errors?.[0].pointer], [422, at + pointer]);
      assert.ok(body.errors[0].detail.includes(field), body.errors[0].detail);
    }
  }

  for (const [name, value, field, pointer = `/${name}`] of BESIDE) {
    it(name, () => refused({ [name]: value }, pointer, field));
  }
  for (const [members, pointer, field] of INSIDE) {
    it(pointer, () => refused(members, pointer, field));
  }

  it('beside the messages of a batch', async () => {
    const { message: activity } = message();
    for (const [name, field] of [
      ['send_at', 'send_at'],
      ['scheduledAt', 'send_at'],
      ['fallback', 'routes'],
      ['category', 'category'],
      ['template', 'template'],
      ['options', 'options'],
      ['expires_at', 'endTime'],
      ['catagory', 'in each item of messages, as category'],
      ['tempalte', 'in each item of messages, as template'],
      ['optons', 'in each item of messages, as options'],
    ] as const) {
      const { status, body } = await app.post('/1/messages', { messages: [activity], [name]: AT });
      assert.deepEqual([status, body.errors?.[0].pointer], [422, `/${name}`]);
      assert.ok(body.errors[0].detail.includes(field), body.errors[0].detail);
    }
  });

  it('but other members are ignored, and those of the activity kept', async () => {
    const own = {
      reference: 'order 7',
      metadata: {},
      tags: [],
      tenant: 'a',
      trace_id: 'b',
      notes: 'c',
      message_id: 7,
      messageId: 7,
    };
    const activity = { scheduled_at: AT, fallback: 'sms', templates: [], params: {}, ...own };
    const request = { ...message(activity), ...own };
    const { status, body } = await app.post('/1/message', request);
    assert.equal(status, 202);
    const { body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.partialDeepStrictEqual(shown.message, activity);
    const batch = await app.post('/1/messages', { messages: [request, request.message], ...own });
    assert.equal(batch.status, 202);
    assert.equal((await app.put(scheduled, { ...request, send_at: AT })).status, 204);
  });
});
