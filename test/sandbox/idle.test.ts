import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';

import { TestClock } from '../support/clock.ts';
import { clientOf } from '../support/service/delivery.ts';
import { openSandboxes } from '../support/service/sandbox.ts';
import { ENGINES, createDatabase } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* Sessions and long polls in which nothing happens. */

const POLL_MS = 1_000;
const POLLS = 20;

for (const engine of ENGINES) {
  describe(`idle sandbox sessions (${engine})`, () => {
    it('many of them ask the store as rarely as one', async () => {
      const clock = new TestClock();
      await using sandboxes = await openSandboxes(engine, { clock });
      const { sandboxReports, sandboxMessages } = sandboxes.service.store;
      const polls = mock.method(sandboxReports, 'activeSince');
      const looks = mock.method(sandboxReports, 'forSession');
      const waits = mock.method(sandboxMessages, 'byPeopleAfter');
      const idle = async () => {
        polls.mock.resetCalls();
        looks.mock.resetCalls();
        waits.mock.resetCalls();
        const began = clock.now();
        await until('many polls', async () => {
          clock.advance(POLL_MS / 2);
          return polls.mock.callCount() >= POLLS;
        });
        assert.ok(clock.now() - began >= (POLLS - 1) * POLL_MS, 'polled too often');
        return looks.mock.callCount() + waits.mock.callCount();
      };

      const answered = async (channel: string) => {
        const sandbox = await sandboxes.open(channel);
        await sandbox.act('reply', { text: `${channel}?` });
        await until('the answer', async () => {
          clock.advance(500);
          const { body } = await sandbox.app.get('/1/events?type=message.received');
          return body.data.length > 0;
        });
        return sandbox;
      };
      await answered('irc');
      const one = await idle();
      for (const channel of ['irc', 'xmpp', 'signal', 'smpp', 'matrix']) await answered(channel);
      // Until what happened is no longer recent.
      await idle();
      const many = await idle();
      // A long poll of Matrix ends after 30 seconds, and the next one looks at the phone.
      assert.ok(many <= one + 6, `one session looked ${one} times, six did ${many} times`);
    });
  });
}

describe('sandbox sessions on several nodes', () => {
  for (const channel of ['irc', 'matrix']) {
    it(`${channel} reports what people do through any node`, async () => {
      await using opened = new AsyncDisposableStack();
      const database = await createDatabase('postgres', { migrated: true });
      opened.defer(() => database.dispose());
      const first = opened.use(await openSandboxes('postgres', { database }));
      const second = opened.use(await openSandboxes('postgres', { database }));
      const sandbox = await first.open(channel);
      const { applicationId, integrationId } = sandbox;
      const other = await clientOf(second.service, 'application', applicationId);
      for (const [text, app] of Object.entries({ One: sandbox.app, Two: other })) {
        const { status } = await app.post(`/1/sandbox/${integrationId}/reply`, { text });
        assert.equal(status, 200);
        await sandbox.event(
          text,
          ({ type, data }) => type === 'message.received' && data.object.content === text,
        );
      }
    });
  }
});
