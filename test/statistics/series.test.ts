import assert from 'node:assert/strict';
import { it } from 'node:test';

import { type Counts, noCounts } from '../../src/model/statistics.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

onEachEngine('statistics', (sb) => {
  /** A team with two applications, and a function that adds counts. */
  const make = async () => {
    const { team, owner, api } = await sb().otherTeam();
    const application = async () =>
      (await api.post('/1/applications', { team_id: team.id, owner_id: owner.id, state: 'enable' }))
        .body.id as number;
    const [a, b] = [await application(), await application()];
    const now = Date.now();
    const put = (
      applicationId: number,
      channel: string,
      ago: number,
      counts: Partial<Counts>,
      integrationId = applicationId * 10 + channel.length,
    ) => {
      const at = now - ago;
      const row = {
        applicationId,
        integrationId,
        channel,
        sandbox: 0 as const,
        lastSentAt: 0,
        ...noCounts(),
        ...counts,
      };
      return sb().store.statistics.add([
        { ...row, step: 'minute', at: at - (at % MINUTE_MS) },
        { ...row, step: 'hour', at: at - (at % HOUR_MS) },
      ]);
    };
    return { team, api, a, b, put };
  };
  const written = (moment: number) => new Date(moment).toISOString().slice(0, 19);

  it('statistics are sums per step, including empty steps', async () => {
    const { api, a, b, put } = await make();
    await put(a, 'telegram', 2 * MINUTE_MS, { accepted: 3, sent: 2, latency3: 2 });
    await put(a, 'slack', 2 * MINUTE_MS, { accepted: 1 });
    await put(b, 'telegram', 2 * MINUTE_MS, { failed: 4 });
    await put(a, 'telegram', 2 * MINUTE_MS, { accepted: 10 });
    const from = written(Date.now() - 5 * MINUTE_MS);
    const { body } = await api.get(`/1/statistics?from=${from}`);
    assert.equal(body.step, 'minute');
    assert.ok(body.series.length >= 5 && body.series.length <= 7);
    assert.equal(body.series[0].at, body.from);
    const busy = body.series.filter((step: Record<string, number>) => step['accepted'] !== 0);
    assert.equal(busy.length, 1);
    assert.deepEqual([busy[0].accepted, busy[0].sent, busy[0].failed], [14, 2, 4]);
    assert.deepEqual(busy[0].latency_ms, { p50: 35, p90: 47, p95: 49, p99: 50 });
    assert.deepEqual(body.series[0].latency_ms, { p50: null, p90: null, p95: null, p99: null });
    assert.deepEqual([body.total.accepted, body.total.failed], [14, 4]);
    const shown = (list: Record<string, unknown>[], name: string) =>
      list.map((one) => [one[name], one['accepted'], one['failed']]);
    assert.deepEqual(shown(body.channels, 'channel'), [
      ['slack', 1, 0],
      ['telegram', 13, 4],
    ]);
    assert.deepEqual(shown(body.applications, 'application_id'), [
      [a, 14, 0],
      [b, 0, 4],
    ]);
  });

  it('statistics are by minute, hour or day, as requested or as suits the period', async () => {
    const { api, a, put } = await make();
    for (const hours of [1, 30, 31, 60, 500])
      await put(a, 'telegram', hours * HOUR_MS, { sent: 1 });
    const series = async (query: string) => (await api.get(`/1/statistics?${query}`)).body;
    const ago = (hours: number) => `from=${written(Date.now() - hours * HOUR_MS)}`;
    const usual = await series('');
    assert.deepEqual([usual.step, usual.total.sent], ['hour', 1]);
    assert.ok(usual.series.length >= 24 && usual.series.length <= 25);
    const week = await series(ago(7 * 24));
    assert.deepEqual([week.step, week.total.sent], ['hour', 4]);
    const month = await series(ago(30 * 24));
    assert.deepEqual([month.step, month.total.sent], ['day', 5]);
    assert.match(month.series[0].at, /T00:00:00$/);
    const days = await series(`${ago(70)}&step=day`);
    assert.equal(days.total.sent, 4);
    // Minutes are kept for three days; `from` shows where the series really starts.
    const minutes = await series(`${ago(80)}&to=${written(Date.now() - 60 * HOUR_MS)}&step=minute`);
    assert.ok(Date.parse(`${minutes.from}Z`) >= Date.now() - 72 * HOUR_MS - MINUTE_MS);
  });

  it('statistics can be filtered by application and channel', async () => {
    const { api, a, b, put } = await make();
    await put(a, 'telegram', MINUTE_MS, { sent: 1 });
    await put(a, 'slack', MINUTE_MS, { sent: 2 });
    await put(b, 'slack', MINUTE_MS, { sent: 4 });
    const sent = async (query: string) =>
      (await api.get(`/1/statistics?${query}`)).body.total.sent as number;
    assert.equal(await sent(''), 7);
    assert.equal(await sent(`application_id=${a}`), 3);
    assert.equal(await sent('channel=SLACK'), 6);
    assert.equal(await sent(`channel=slack&application_id=${b}`), 4);
    assert.equal(await sent('channel=nonsense'), 0);
  });

  it('statistics are limited to the own team, or to the application of the token', async () => {
    const { api, a, b, put } = await make();
    await put(a, 'telegram', MINUTE_MS, { sent: 1 });
    await put(b, 'telegram', MINUTE_MS, { sent: 2 });
    const other = await make();
    const sent = async (client: typeof api, query = '') =>
      (await client.get(`/1/statistics${query}`)).body.total.sent as number;
    assert.equal(await sent(other.api), 0);
    assert.equal(await sent(other.api, `?application_id=${a}`), 0);
    const { teamId } = (await sb().store.applications.get(a)) ?? { teamId: 0 };
    const app = sb().as(await sb().applicationToken(a, teamId));
    assert.equal(await sent(app), 1);
    assert.equal(await sent(app, `?application_id=${b}`), 0);
    const acting = api.with({ 'switchboard-application': String(b) });
    assert.equal(await sent(acting), 2);
  });

  it('statistics are refused for an invalid period', async () => {
    const { api } = await make();
    for (const query of [
      'from=yesterday',
      'to=2026-02-30T00:00:00',
      'from=2026-11-15T00:00:00&to=2026-11-14T00:00:00',
      'from=1969-01-01T00:00:00',
      'step=week',
      'step=hour&from=2020-01-01T00:00:00',
      'step=day&from=1970-01-01T00:00:00',
    ]) {
      const { status, body } = await api.get(`/1/statistics?${query}`);
      assert.deepEqual([status, body.code], [422, 'invalid_fields'], query);
    }
  });

  it('statistics are deleted with their application', async () => {
    const { api, a, put } = await make();
    await put(a, 'telegram', MINUTE_MS, { sent: 1 });
    await api.delete(`/1/applications/${a}`);
    const { body } = await api.get('/1/statistics');
    assert.equal(body.total.sent, 0);
  });
});
