import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { METRICS, type MetricDefinition } from '../../src/http/metrics/metric-table.ts';
import { parsePrometheus } from '../support/prometheus.ts';
import { openWebhookDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const definitions: readonly MetricDefinition[] = Object.values(METRICS);

for (const engine of ENGINES) {
  it(`/metrics shows exactly the documented metrics (${engine})`, async () => {
    await using sb = await openWebhookDelivery(engine);
    await sb.settled(await sb.send('one', 'ada'));
    const { families } = parsePrometheus((await sb.service.as(undefined).get('/metrics')).text);
    const own = new Map([...families].filter(([name]) => name.startsWith('switchboard_')));
    const absent: readonly MetricDefinition[] =
      engine === 'postgres'
        ? [METRICS.logBytes]
        : [METRICS.connections, METRICS.connectionsAwaited];
    const expected = definitions.filter((definition) => !absent.includes(definition));
    assert.deepEqual([...own.keys()].toSorted(), expected.map(({ name }) => name).toSorted());
    for (const { name, type, help, labels } of expected) {
      const family = own.get(name);
      assert.deepEqual([family?.type, family?.help], [type, help], name);
      for (const label of family?.labels ?? []) assert.ok(labels.includes(label), label);
    }
  });
}

it('switchboard_build_info has version, role and store', async () => {
  await using sb = await openWebhookDelivery('sqlite');
  const { samples } = parsePrometheus((await sb.service.as(undefined).get('/metrics')).text);
  const info = [...samples.keys()].find((name) => name.startsWith('switchboard_build_info'));
  assert.match(
    info ?? '',
    /^switchboard_build_info\{version="\d+\.\d+\.\d+",role="all",store="sqlite"\}$/,
  );
});

/** https://prometheus.io/docs/practices/naming/ */
describe('metric names', () => {
  for (const { name, type, labels } of definitions) {
    it(`metric names follow the Prometheus conventions: ${name}`, () => {
      assert.match(name, /^switchboard(_[a-z]+)+$/);
      assert.equal(
        name.endsWith('_total'),
        type === 'counter',
        'counters, and only counters, end in _total',
      );
      if (type === 'histogram') assert.ok(name.endsWith('_seconds'), 'histograms are in seconds');
      assert.doesNotMatch(name, /_(bucket|sum|count|milliseconds|ms|kb|mb)(_|$)/);
      for (const label of labels) assert.match(label, /^[a-z]+$/);
    });
  }
});
