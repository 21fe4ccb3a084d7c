import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EngineName } from '../../src/store/schema.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import { type ExportedSpan, openCollector } from '../emulators/otlp.ts';
import type { Request } from '../emulators/server/http.ts';
import { openTelegram } from '../emulators/telegram.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { message } from '../support/service/activity.ts';
import { type DeliverySetup, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE}-00f067aa0ba902b7-01`;
const TOKEN = '123456:fake-token-canary_of-a-bot';
const SECRET = 'fake-secret-canary';

type Setup = Omit<DeliverySetup<Awaited<ReturnType<typeof openTelegram>>>, 'open' | 'channel'>;

/** A service with tracing, whose application has a channel and a webhook. */
async function open(engine: EngineName, channel: 'webhook' | 'telegram', setup: Setup = {}) {
  const collector = await openCollector({ 'x-key': 'not-a-secret' });
  const events = await openEndpoint();
  const sb = await openDelivery(engine, {
    channel,
    open: channel === 'webhook' ? openEndpoint : openTelegram,
    ...(channel === 'telegram' && { credentials: { token: TOKEN, secret: SECRET } }),
    ...setup,
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=not-a-secret',
      OTEL_SERVICE_NAME: 'gateway',
      ...setup.environment,
    },
  });
  const path = `/1/applications/${sb.applicationId}`;
  const application = (await sb.api.get(path)).body;
  await sb.api.put(path, { ...application, webhook_url: `${events.url}/canary-path` });
  const nextEvent = (type: string) =>
    until(type, () => events.seen.find(({ json }) => (json as { type: string }).type === type));
  return {
    ...sb,
    collector,
    nextEvent,
    async trace(traceparent: string, text: string, to: string) {
      const sent = message({
        to: { type: 'Person', id: to },
        object: { type: 'Note', content: text },
      });
      const { body } = await sb.app.post('/1/message', sent, { headers: { traceparent } });
      return body.id as number;
    },
    /** All spans, once the service has stopped. */
    async spans(): Promise<readonly ExportedSpan[]> {
      await sb.service.service.stop();
      return collector.spans;
    },
    async [Symbol.asyncDispose]() {
      await sb[Symbol.asyncDispose]();
      await Promise.all([events.close(), collector.close()]);
    },
  };
}

const traceparentOf = (request: Request | undefined) => request?.headers['traceparent'];
const named = (spans: readonly ExportedSpan[], name: string, parent?: ExportedSpan) => {
  const found = spans.find((span) => span.name === name && (!parent || isWithin(span, parent)));
  assert.ok(found, `${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
};
const isWithin = ({ traceId, parentId }: ExportedSpan, parent: ExportedSpan) =>
  traceId === parent.traceId && parentId === parent.spanId;

for (const engine of ENGINES) {
  describe(`traces (${engine})`, () => {
    it('traces continue from the request through the queue to the channel and on to the event', async () => {
      await using sb = await open(engine, 'webhook');
      await sb.settled(await sb.trace(CALLER, 'one', 'ada'));
      const event = await sb.nextEvent('message.sent');
      const spans = await sb.spans();
      const accept = named(spans, 'POST /1/message');
      assert.deepEqual(
        [accept.traceId, accept.parentId, accept.kind],
        [TRACE, CALLER.slice(36, 52), 2],
      );
      assert.equal(accept.attributes['http.response.status_code'], 202);
      assert.equal(accept.attributes['switchboard.application_id'], sb.applicationId);
      assert.equal(accept.service['service.name'], 'gateway');
      assert.ok(accept.end >= accept.start && accept.start > 1_600_000_000_000_000_000n);
      named(spans, 'commit messages', accept);

      const attempt = named(spans, 'deliver webhook', accept);
      assert.deepEqual([attempt.kind, attempt.attributes['switchboard.outcome']], [5, 'sent']);
      const request = named(spans, 'POST', attempt);
      assert.deepEqual([request.kind, request.attributes['http.response.status_code']], [3, 204]);
      assert.equal(traceparentOf(sb.peer.seen[0]), `00-${TRACE}-${request.spanId}-01`);

      const deliverySpan = named(spans, 'deliver events', attempt);
      const { spanId } = named(spans, 'POST', deliverySpan);
      assert.equal(traceparentOf(event), `00-${TRACE}-${spanId}-01`);
    });

    it('traces start with a vendor webhook, and contain neither secrets nor content nor recipients', async () => {
      await using sb = await open(engine, 'telegram');
      const { url } = (await sb.app.get(`/1/integrations/${sb.integrationId}/hook`)).body;
      const from = { id: 987_654_321, is_bot: false, first_name: 'canary-name' };
      const update = {
        message_id: 1,
        date: 1_794_700_800,
        from,
        chat: { id: from.id, type: 'private' },
      };
      const call = (secret: string) =>
        fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-telegram-bot-api-secret-token': secret,
            traceparent: CALLER,
          },
          body: JSON.stringify({ update_id: 1, message: { ...update, text: 'canary-heard' } }),
        });
      assert.equal((await call('forged')).status, 401);
      assert.equal((await call(SECRET)).status, 200);
      const event = await sb.nextEvent('message.received');
      await sb.waiting(await sb.trace(CALLER, 'canary-text', '555666777'), 'credentials');

      const spans = await sb.spans();
      // A vendor's traceparent is not trusted, so the span has no parent.
      const hooks = spans.filter(({ name }) => name.startsWith('POST /1/hooks/'));
      assert.deepEqual(
        hooks.map(({ parentId }) => parentId),
        [''],
      );
      const [hook] = hooks;
      const receive = named(spans, 'receive telegram', hook);
      const deliverySpan = named(spans, 'deliver events', receive);
      const { spanId } = named(spans, 'POST', deliverySpan);
      assert.equal(traceparentOf(event), `00-${hook?.traceId}-${spanId}-01`);

      // Vendors get no traceparent.
      const attempt = named(spans, 'deliver telegram');
      assert.equal(attempt.traceId, TRACE);
      assert.ok(sb.peer.seen.length > 0);
      for (const request of sb.peer.seen) assert.equal(traceparentOf(request), undefined);

      const exported = Buffer.concat(sb.collector.seen.map(({ bytes }) => bytes)).toString(
        'latin1',
      );
      assert.ok(exported.includes('deliver telegram'));
      const random = new URL(url).pathname.split('/').at(-1) ?? '';
      const secrets = [TOKEN, SECRET, random, sb.app.token ?? '', '555666777', '987654321'];
      for (const secret of [...secrets, 'canary']) assert.ok(!exported.includes(secret), secret);
    });
  });
}

it('an unsampled trace is not exported, but its traceparent is passed on', async () => {
  await using sb = await open('sqlite', 'webhook');
  await sb.settled(await sb.trace(CALLER.replace(/01$/, '00'), 'one', 'ada'));
  assert.match(traceparentOf(sb.peer.seen[0]) ?? '', new RegExp(`^00-${TRACE}-[\\da-f]{16}-00$`));
  const spans = await sb.spans();
  assert.deepEqual(
    spans.filter(({ traceId }) => traceId === TRACE),
    [],
  );
});

it('the span of a failed attempt has an error, and the log has its trace id', async () => {
  await using sb = await open('sqlite', 'webhook');
  sb.peer.next({ status: 401 });
  await sb.trace(CALLER, 'one', 'ada');
  const lines = () => sb.service.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  const paused = await until('the pause', () =>
    lines().find(({ msg }) => msg === 'integration paused'),
  );
  const accepted = lines().find(({ path }) => path === '/1/message');
  const spans = await sb.spans();
  const attempt = named(spans, 'deliver webhook');
  assert.deepEqual([paused['trace_id'], paused['span_id']], [TRACE, attempt.spanId]);
  assert.deepEqual(
    [accepted?.['trace_id'], accepted?.['span_id']],
    [TRACE, named(spans, 'POST /1/message').spanId],
  );
  assert.deepEqual([attempt.status, attempt.attributes['error.type']], [2, 'permanent']);
});

it('without tracing, no trace is stored, passed on or exported', async () => {
  for (const environment of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }]) {
    await using sb = await open('sqlite', 'webhook', { environment });
    await sb.settled(await sb.trace(CALLER, 'one', 'ada'));
    const event = await sb.nextEvent('message.sent');
    assert.deepEqual([event, sb.peer.seen[0]].map(traceparentOf), [undefined, undefined]);
    for (const table of ['messages', 'events'] as const) {
      const rows = await sb.service.store.engine.db.selectFrom(table).select('trace').execute();
      assert.ok(rows.length > 0 && rows.every(({ trace }) => trace === null), table);
    }
    await sb.spans();
    assert.deepEqual(sb.collector.seen, []);
  }
});

it('the service works without a collector, and logs the failure once', async () => {
  await using sb = await open('sqlite', 'webhook');
  const spansBy = async (outcome: string) => {
    const { samples } = parsePrometheus((await sb.service.as(undefined).get('/metrics')).text);
    return samples.get(`switchboard_trace_spans_total{outcome="${outcome}"}`) ?? 0;
  };
  for (let i = 0; i < 20; i++) sb.collector.next({ status: 400 });
  await sb.settled(await sb.trace(CALLER, 'one', 'ada'));
  await until('spans are dropped', async () => (await spansBy('failed')) > 0);
  const warnings = sb.service.logs.filter((line) => line.includes('trace export failed'));
  assert.equal(warnings.length, 1);

  await sb.collector.close();
  await sb.settled(await sb.trace(CALLER, 'two', 'ada'));
  assert.equal(sb.peer.seen.length, 2);
  // The stop drops the remaining spans.
  await sb.service.service.stop();
});
