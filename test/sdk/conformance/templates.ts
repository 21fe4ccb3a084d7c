import assert from 'node:assert/strict';

import { startTestService } from '../../support/service/service.ts';
import type { Case } from './cases.ts';
import type { Driver, Given } from './driver.ts';

/* Templates and policies, which people keep in programs as well as in the console. */

async function ask<Value>(driver: Driver, op: string, given: Partial<Given>): Promise<Value> {
  const { value, error } = await driver.ask(op, given);
  assert.equal(error, undefined, JSON.stringify(error));
  return value as Value;
}

interface Shown {
  id: number;
  name: string;
  version: number;
  contents: Record<string, { content: string }>;
}

export const TEMPLATE_CASES: readonly Case[] = [
  [
    'creates, changes, previews, lists and deletes templates',
    async (driver) => {
      await using sb = await startTestService('sqlite');
      const { application } = await sb.application();
      const token = await sb.applicationToken(Number(application.id));
      await driver.ask('open', { url: sb.url, token });
      const first = { en: { content: 'Order {{ number }} is packed.' } };
      const made = await ask<Shown>(driver, 'create_template', {
        name: 'order_packed',
        contents: first,
      });
      assert.deepEqual([made.name, made.version], ['order_packed', 1]);
      const { id } = made;
      const second = { en: { content: 'Order {{ number }} has left.' } };
      assert.equal(await ask(driver, 'update_template', { id, contents: second }), null);
      assert.deepEqual((await ask<Shown>(driver, 'template', { id })).contents, second);
      const old = await ask<Shown>(driver, 'template', { id, version: 1 });
      assert.deepEqual([old.version, old.contents], [1, first]);
      const preview = await ask<Record<string, unknown>>(driver, 'preview_template', {
        id,
        parameters: { number: '4711' },
        channels: ['telegram'],
      });
      assert.match(JSON.stringify(preview), /Order 4711 has left\./);
      const list = await ask<Shown[]>(driver, 'templates', {});
      assert.deepEqual(
        list.map((one) => [one.id, one.version]),
        [[id, 2]],
      );
      const wrong = await driver.ask('create_template', {
        name: 'broken',
        contents: { en: { content: '{{ number' } },
      });
      assert.equal(wrong.error?.code, 'invalid_fields');
      assert.equal(await ask(driver, 'delete_template', { id }), null);
      assert.equal((await driver.ask('template', { id })).error?.code, 'not_found');
      assert.deepEqual(await ask(driver, 'templates', {}), []);
    },
  ],
  [
    'reads and changes the policies of an application',
    async (driver) => {
      await using sb = await startTestService('sqlite');
      const { application } = await sb.application();
      const id = Number(application.id);
      await driver.ask('open', { url: sb.url, token: sb.api.token ?? '' });
      const before = await ask<{ consent: { double_opt_in: boolean } }>(driver, 'policies', { id });
      assert.equal(before.consent.double_opt_in, false);
      const policies = { consent: { double_opt_in: true } };
      assert.equal(await ask(driver, 'set_policies', { id, policies }), null);
      const after = await ask<typeof before>(driver, 'policies', { id });
      assert.deepEqual(after, { ...before, consent: { ...before.consent, double_opt_in: true } });
    },
  ],
];
