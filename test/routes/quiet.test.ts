import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ENGINES } from '../support/store/databases.ts';
import { NO_RECEIPT, type Routed, openRouted } from './routed-sandbox.ts';

/* Quiet hours that begin while a message with routes is on its way. */

/** The clock starts at midnight. */
const END = '2026-11-15T20:00:00';

for (const engine of ENGINES) {
  describe(`quiet hours and routes (${engine})`, () => {
    /** Sends a message by WhatsApp; quiet hours begin before its deadline. */
    async function sendBefore(routed: Routed, action: 'defer' | 'refuse'): Promise<number> {
      const id = await routed.sendRouted(NO_RECEIPT);
      await routed.reach(id, 'the first route', ({ state }) => state === 'sent');
      const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
      const rule = { categories: ['transactional'], days, from: '00:00', until: '20:00', action };
      const { status, body } = await routed.service.api.put(
        `/1/applications/${routed.applicationId}/policies`,
        { quiet_hours: { default_zone: 'UTC', rules: [rule] } },
      );
      assert.equal(status, 204, JSON.stringify(body));
      return id;
    }

    it('a route that waits for the end of quiet hours cannot be scheduled anew', async () => {
      await using routed = await openRouted(engine);
      const id = await sendBefore(routed, 'defer');
      const waiting = await routed.reach(id, 'the second route', ({ route }) => route === 1);
      assert.deepEqual([waiting.state, waiting.waiting.until], ['scheduled', END]);
      for (const change of [{ send_at: '2026-11-15T10:00:00Z' }, { message: waiting.message }]) {
        const { status, body } = await routed.app.put(`/1/messages/${id}`, change);
        assert.deepEqual([status, body.code], [409, 'message_not_scheduled']);
      }
      assert.equal((await routed.show(id)).send_at, END);
    });

    it('a route that quiet hours refuse leaves the state of the one before', async () => {
      await using routed = await openRouted(engine);
      const { schedule } = routed.store;
      const release = schedule.release.bind(schedule);
      const ended: string[] = [];
      schedule.release = async (...given) => {
        const released = await release(...given);
        ended.push(...released.ended.map(({ state }) => state));
        return released;
      };
      const id = await sendBefore(routed, 'refuse');
      const shown = await routed.reach(id, 'the end', ({ error }) => error !== null);
      assert.deepEqual([shown.state, shown.error.code], ['sent', 'quiet_hours']);
      assert.equal(shown.routes[1].because.code, 'quiet_hours');
      // It is not counted as failed.
      assert.deepEqual(ended, ['settled']);
    });
  });
}
