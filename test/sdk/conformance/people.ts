import assert from 'node:assert/strict';

import { openSandboxes } from '../../support/service/sandbox.ts';
import { startTestService } from '../../support/service/service.ts';
import type { Case } from './cases.ts';
import type { Driver, Given } from './driver.ts';

/* Contacts, conversations, pools and scheduled messages. */

async function ask<Value>(driver: Driver, op: string, given: Partial<Given>): Promise<Value> {
  const { value, error } = await driver.ask(op, given);
  assert.equal(error, undefined, JSON.stringify(error));
  return value as Value;
}

interface Contact {
  id: number;
  name: string | null;
  addresses: { id: number; address: string }[];
}

const idsOf = (items: readonly { id: number }[]) => items.map(({ id }) => id);

async function checkContacts(driver: Driver): Promise<Contact> {
  const made = await ask<Contact>(driver, 'create_contact', {
    name: 'Ada',
    family: 'email',
    address: 'ada@example.com',
  });
  const { id } = made;
  assert.equal(await ask(driver, 'rename_contact', { id, name: 'Ada Lovelace' }), null);
  const added = { id, family: 'sms', address: '+15558675310' };
  const { id: addressId } = await ask<{ id: number }>(driver, 'add_address', added);
  assert.equal(await ask(driver, 'prefer_address', { id, address_id: addressId }), null);
  const shown = await ask<Contact>(driver, 'contact', { id });
  assert.deepEqual([shown.name, shown.addresses.length], ['Ada Lovelace', 2]);
  assert.equal(await ask(driver, 'remove_address', { id, address_id: addressId }), null);
  const taken = await driver.ask('create_contact', {
    name: 'Somebody',
    family: 'email',
    address: 'ada@example.com',
  });
  assert.equal(taken.error?.code, 'address_taken');
  const other = await ask<Contact>(driver, 'create_contact', {
    name: 'A. L.',
    family: 'email',
    address: 'lovelace@example.com',
  });
  assert.deepEqual(idsOf(await ask(driver, 'contacts', {})), [other.id, id]);
  const pair = { id, other_id: other.id };
  assert.equal((await ask<Contact>(driver, 'merge_contacts', pair)).addresses.length, 2);
  const merges = await ask<{ contact_id: number }[]>(driver, 'contact_merges', { id });
  assert.deepEqual(
    merges.map((merge) => merge.contact_id),
    [other.id],
  );
  assert.equal((await ask<Contact>(driver, 'unmerge_contacts', pair)).id, other.id);
  assert.equal(await ask(driver, 'delete_contact', { id: other.id }), null);
  assert.equal((await driver.ask('contact', { id: other.id })).error?.code, 'not_found');
  return shown;
}

export const PEOPLE_CASES: readonly Case[] = [
  [
    'keeps contacts, exports and erases them',
    async (driver) => {
      await using sb = await startTestService('sqlite');
      const { application } = await sb.application();
      const token = await sb.applicationToken(Number(application.id));
      await driver.ask('open', { url: sb.url, token });
      const { id } = await checkContacts(driver);
      const file = await ask<string>(driver, 'export_contact', { id });
      assert.match(file, /Ada Lovelace[^]*\{"kind":"end","data":\{"lines":\d+\}\}\n$/);
      const begun = await ask<{ contact_id: number }>(driver, 'erase_contact', { id });
      assert.equal(begun.contact_id, id);
      assert.deepEqual(
        (await ask<{ contact_id: number }>(driver, 'erasure', { id })).contact_id,
        id,
      );
      assert.deepEqual(await ask(driver, 'contacts', {}), []);
    },
  ],
  [
    'reads conversations',
    async (driver) => {
      await using sandboxes = await openSandboxes('sqlite');
      const sandbox = await sandboxes.open('telegram');
      const { app, service } = sandbox;
      await sandbox.act('reply', { text: 'hello there' });
      await sandbox.event('the text', ({ type }) => type === 'message.received');
      await driver.ask('open', { url: service.url, token: app.token ?? '' });
      const [first] = await ask<{ id: number; unread: number }[]>(driver, 'conversations', {});
      assert.equal(first?.unread, 1);
      const { id } = first;
      const entries = await ask<{ direction: string }[]>(driver, 'conversation_messages', { id });
      assert.deepEqual(
        entries.map(({ direction }) => direction),
        ['in'],
      );
      assert.equal(await ask(driver, 'read_conversation', { id }), null);
      assert.equal((await ask<{ unread: number }>(driver, 'conversation', { id })).unread, 0);
    },
  ],
  [
    'keeps pools, and schedules messages through them',
    async (driver) => {
      await using sb = await startTestService('sqlite');
      const { application } = await sb.application();
      const token = await sb.applicationToken(Number(application.id));
      await driver.ask('open', { url: sb.url, token });
      const { id: member } = await ask<{ id: number }>(driver, 'integrate', {
        channel: 'telegram',
        token: '1:fake',
      });
      const pool = { name: 'bots', members: [member] };
      const { id } = await ask<{ id: number }>(driver, 'create_pool', pool);
      assert.equal(await ask(driver, 'update_pool', { id, ...pool, name: 'robots' }), null);
      assert.equal((await ask<{ name: string }>(driver, 'pool', { id })).name, 'robots');
      assert.deepEqual(idsOf(await ask(driver, 'pools', {})), [id]);
      const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
      const message = { to: '1', text: 'Later', via: 'pool:robots' };
      const planned = await ask<{ id: number; state: string }>(driver, 'schedule', {
        message,
        send_at: at(24),
      });
      assert.equal(planned.state, 'scheduled');
      const time = at(48);
      assert.equal(await ask(driver, 'reschedule', { id: planned.id, send_at: time }), null);
      const { send_at: changed } = await ask<{ send_at: string }>(driver, 'get', {
        id: planned.id,
      });
      assert.equal(changed.slice(0, 19), time.slice(0, 19));
      await ask(driver, 'cancel', { id: planned.id });
      const late = await driver.ask('reschedule', { id: planned.id, send_at: time });
      assert.equal(late.error?.code, 'message_not_scheduled');
      assert.equal(await ask(driver, 'delete_pool', { id }), null);
    },
  ],
];
