import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { testFaults, testStandingFaults } from '../support/service/sandbox-faults.ts';
import { openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';

/* Every fault at one channel, on both stores; faults.slow.test.ts has the other channels. */
describe('sandbox faults', () => {
  for (const engine of ENGINES) testFaults('twilio', engine);
  testStandingFaults('vonage', 'sqlite');

  it('a channel lists only faults that it can have', async () => {
    await using sandboxes = await openSandboxes('sqlite');
    const listed = async (channel: string) => {
      const { app, integrationId } = await sandboxes.open(channel);
      const { body } = await app.get(`/1/sandbox/${integrationId}`);
      return new Set(body.faults.map(({ name }: { name: string }) => name));
    };
    const reports = [
      'read',
      'late_receipt',
      'reordered_receipts',
      'repeated_receipts',
      'no_receipt',
    ];
    const answers = ['repeated_webhook', 'reordered_webhooks', 'stop'];
    const sendsOnly = await listed('ntfy');
    assert.deepEqual(
      [...reports, ...answers].filter((name) => sendsOnly.has(name)),
      [],
    );
    assert.ok(sendsOnly.has('lost_answer'));
    const withoutReports = await listed('telegram');
    assert.deepEqual(
      reports.filter((name) => withoutReports.has(name)),
      [],
    );
    assert.deepEqual(
      answers.filter((name) => !withoutReports.has(name)),
      [],
    );
    const withReadOnly = await listed('twitter');
    assert.deepEqual(
      reports.filter((name) => withReadOnly.has(name)),
      ['read'],
    );
    const withAll = await listed('twilio');
    assert.deepEqual(
      [...reports, ...answers].filter((name) => !withAll.has(name)),
      [],
    );
  });
});
