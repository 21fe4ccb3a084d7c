import assert from 'node:assert/strict';

import { startTestService } from '../../support/service/service.ts';
import type { Case } from './cases.ts';
import type { Driver, Given } from './driver.ts';

/* A conversation in the sandbox, as the tests of a bot play it. */

interface Entry {
  id: number;
  text?: string;
  author: string;
}

async function ask<Value>(driver: Driver, op: string, given: Partial<Given>): Promise<Value> {
  const { value, error } = await driver.ask(op, given);
  assert.equal(error, undefined, JSON.stringify(error));
  return value as Value;
}

export const SANDBOX_CASES: readonly Case[] = [
  [
    'plays a conversation in the sandbox',
    async (driver) => {
      await using sb = await startTestService('sqlite', {
        environment: { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_ALLOW_LOOPBACK: 'off' },
      });
      const { application } = await sb.application();
      const token = await sb.applicationToken(Number(application.id));
      await driver.ask('open', { url: sb.url, token });
      const given = { channel: 'whatsapp', mode: 'sandbox' } as const;
      const { id } = await ask<{ id: number }>(driver, 'integrate', given);
      const { people } = await ask<{ people: { address: string }[] }>(driver, 'sandbox', { id });
      const to = people[0]?.address ?? '';
      const question = { to, text: 'At home?', buttons: ['Yes', 'No'] };
      await ask(driver, 'send', { message: question });
      const wanted = 'home';
      const shown = await ask<Entry>(driver, 'sandbox_shown', { id, wanted });
      assert.deepEqual([shown.text, shown.author], ['At home?', 'application']);
      const entry = shown.id;
      await ask(driver, 'sandbox_press', { id, entry, button: 'Yes' });
      await ask(driver, 'sandbox_reply', { id, text: 'Until six', person: to });
      const events = await ask<{ data: { object: { content?: string } } }[]>(driver, 'events', {
        types: ['message.received'],
        count: 2,
      });
      assert.equal(events[1]?.data.object.content, 'Until six');
      await ask(driver, 'sandbox_react', { id, entry, emoji: '👍' });
      assert.equal(await ask(driver, 'sandbox_report', { id, entry, receipt: 'read' }), null);
      const joined = await driver.ask('sandbox_join', { id, person: to });
      assert.equal(joined.error?.code, 'unsupported');
      assert.equal(await ask(driver, 'sandbox_behave', { id, faults: ['unknown'] }), null);
      const entries = await ask<Entry[]>(driver, 'sandbox_messages', { id, person: to });
      assert.equal(entries.length, 4);
      assert.equal(await ask(driver, 'sandbox_reset', { id }), null);
      assert.deepEqual(await ask(driver, 'sandbox_messages', { id }), []);
    },
  ],
];
