import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { webhook } from '../../src/channels/webhook/channel.ts';
import { openEndpoint } from '../emulators/endpoint.ts';
import { TestClock } from '../support/clock.ts';
import { integrate, message } from '../support/service/activity.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/** A team has at most half of the 512 slots in flight, so that the rest is left to others. */
const HALF = 256;
const INTEGRATIONS = 40;
const EACH = webhook.concurrency ?? 0;

for (const engine of ENGINES) {
  describe(`fair share between tenants (${engine})`, () => {
    it('a team whose endpoints never answer cannot use all slots', async () => {
      // Several endpoints, since connections per endpoint are limited.
      const hanging = await Promise.all(
        Array.from({ length: 6 }, () => openEndpoint(() => 'hang')),
      );
      const waiting = () => hanging.reduce((sum, { inFlight }) => sum + inFlight, 0);
      const quick = await openEndpoint();
      await using open = new AsyncDisposableStack();
      for (const endpoint of [...hanging, quick]) open.defer(() => endpoint.close());
      const environment = { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_STOP_TIMEOUT: '1' };
      // The clock stands still, so that no request times out on a slow machine.
      const clock = new TestClock();
      await using sb = await startTestService(engine, { environment, clock });
      const { application, app } = await sb.application();
      for (let i = 0; i < INTEGRATIONS; i++) {
        const fields = { name: 'webhook', address: hanging[i % hanging.length]?.url };
        const { id } = await integrate(app, application.id, fields);
        const messages = Array.from(
          { length: EACH },
          (_, j) =>
            message({
              generator: { type: 'Service', id },
              to: { type: 'Person', id: `recipient-${j}` },
            }).message,
        );
        assert.equal((await app.post('/1/messages', { messages })).status, 202);
      }
      await until('the team has its maximum in flight', () => waiting() >= HALF);
      assert.equal(waiting(), HALF);

      const other = await sb.otherTeam();
      const fields = { team_id: other.team.id, owner_id: other.owner.id, state: 'enable' };
      const { body: theirs } = await other.api.post('/1/applications', fields);
      const them = sb.as(await sb.applicationToken(theirs.id, other.team.id));
      await integrate(them, theirs.id, { name: 'webhook', address: quick.url });
      const { body } = await them.post('/1/message', message());
      await until(
        "the other team's message is sent",
        async () => (await them.get(`/1/messages/${body.id}`)).body.state === 'sent',
      );
      assert.equal(waiting(), HALF, 'while the first team still waits');
    });
  });
}
