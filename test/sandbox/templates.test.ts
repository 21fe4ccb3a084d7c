import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { TestClock } from '../support/clock.ts';
import {
  type SandboxService,
  type SandboxTest,
  openSandboxes,
} from '../support/service/sandbox.ts';
import { ENGINES } from '../support/store/databases.ts';
import { until } from '../support/until.ts';

/* Templates of vendors: listed, checked when a message is accepted, and sent as the vendor takes them. */

const HOUR_MS = 3_600_000;
const IMAGE = 'https://www.example.com/parcel.png';
const SHIPPED = {
  name: 'order_shipped',
  language: 'pt-BR',
  parameters: { header: IMAGE, 1: 'Ada', 2: 4711, button_1: '4711' },
};

for (const engine of ENGINES) {
  describe(`templates of vendors (${engine})`, () => {
    let sandboxes: SandboxService;
    before(async () => {
      sandboxes = await openSandboxes(engine);
    });
    after(() => sandboxes[Symbol.asyncDispose]());

    const sync = ({ app, integrationId }: SandboxTest) =>
      app.post(`/1/integrations/${integrationId}/templates/sync`);
    const open = async (channel: string) => {
      const sandbox = await sandboxes.open(channel);
      assert.equal((await sync(sandbox)).status, 202);
      return sandbox;
    };
    const bodyOf = (
      { integrationId, simulator }: SandboxTest,
      instructions: Record<string, unknown>,
      to = simulator.people[0].address,
      object: Record<string, unknown> = { type: 'Note' },
    ) => ({
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integrationId },
        to: { type: 'Person', id: to },
        object,
      },
      ...instructions,
    });
    const post = (sandbox: SandboxTest, template: unknown, to?: string) =>
      sandbox.app.post('/1/message', bodyOf(sandbox, { template }, to));
    const sent = async (sandbox: SandboxTest, id: number) => {
      const message = await sandbox.message(id, ({ state }) => !/queued|sending/.test(state));
      assert.match(message.state, /sent|delivered|read/, JSON.stringify(message.error));
      return message;
    };

    it('the list shows status, category, parameters and preview', async () => {
      const sandbox = await sandboxes.open('whatsapp');
      const { app, integrationId } = sandbox;
      const path = `/1/integrations/${integrationId}/templates`;
      assert.deepEqual((await app.get(path)).body, { synced_at: null, data: [] });
      const { status, body } = await sync(sandbox);
      assert.equal(status, 202);
      const { body: list } = await app.get(path);
      assert.equal(list.data.length, body.count);
      const find = (name: string, language: string) =>
        list.data.find(
          (one: { name: string; language: string }) =>
            one.name === name && one.language === language,
        );
      assert.partialDeepStrictEqual(find('spring_sale', 'en_US'), {
        status: 'paused',
        category: 'marketing',
      });
      assert.equal(find('old_offer', 'en_US').reason, 'ABUSIVE_CONTENT');
      const shipped = find('order_shipped', 'en_US');
      assert.deepEqual(
        shipped.parameters.map(({ name, kind, required }: Record<string, unknown>) => [
          name,
          kind,
          required,
        ]),
        [
          ['header', 'image', true],
          ['1', 'text', true],
          ['2', 'text', true],
          ['button_1', 'text', true],
          ['button_2', 'payload', false],
        ],
      );
      assert.equal(shipped.preview.body, 'Hi {{1}}, order {{2}} is on its way.');
    });

    it('a WhatsApp template with header, body and buttons arrives on the phone', async () => {
      const sandbox = await open('whatsapp');
      const { status, body } = await post(sandbox, SHIPPED);
      assert.equal(status, 202);
      const message = await sent(sandbox, body.id);
      assert.partialDeepStrictEqual(message.template, {
        name: 'order_shipped',
        language: 'pt_BR',
        source: 'vendor',
        parameters: SHIPPED.parameters,
      });
      const shown = await sandbox.shown('the template', ({ media }) => media);
      assert.match(shown.text, /Oi Ada, o pedido 4711 saiu\./);
      assert.equal(shown.media[0].url, IMAGE);
      assert.equal(shown.buttons[0].url, 'https://www.example.com/orders/4711');
    });

    it('named parameters, text headers and places are sent', async () => {
      const sandbox = await open('whatsapp');
      const named = { patient: 'Ada', date: '1 May', time: '9:00' };
      const first = await post(sandbox, { name: 'appointment', parameters: named });
      await sent(sandbox, first.body.id);
      const reminder = await sandbox.shown('the reminder', ({ title }) => title);
      assert.deepEqual(
        [reminder.title, reminder.text],
        ['Reminder for Ada', 'Your appointment is on 1 May at 9:00.'],
      );
      const parameters = { header: { latitude: 52.5, longitude: 13.4 }, 1: 'P-7' };
      const second = await post(sandbox, { name: 'pickup', parameters });
      await sent(sandbox, second.body.id);
      const { place } = await sandbox.shown('the place', (entry) => entry.place);
      assert.deepEqual([place.latitude, place.longitude], [52.5, 13.4]);
    });

    for (const [what, template, pointers] of [
      ['an unknown name', { name: 'nothing' }, ['/template/name']],
      ['an unknown language', { ...SHIPPED, language: 'de' }, ['/template/language']],
      ['no language where there are several', { name: 'order_shipped' }, ['/template/language']],
      ['a paused template', { name: 'spring_sale' }, ['/template/name']],
      ['a rejected template', { name: 'old_offer' }, ['/template/name']],
      [
        'missing and unknown parameters',
        { ...SHIPPED, parameters: { header: IMAGE, 1: 'Ada', button_1: '1', 3: 'x' } },
        ['/template/parameters/3', '/template/parameters/2'],
      ],
      [
        'parameters of the wrong kind',
        { ...SHIPPED, parameters: { ...SHIPPED.parameters, header: 'parcel.png', 1: ['Ada'] } },
        ['/template/parameters/header', '/template/parameters/1'],
      ],
    ] as const) {
      it(`${what} is refused when the message is accepted`, async () => {
        const sandbox = await open('whatsapp');
        const { status, body } = await post(sandbox, template);
        assert.deepEqual([status, body.code], [422, 'template_refused']);
        assert.deepEqual(
          body.errors.map(({ pointer }: { pointer: string }) => pointer),
          pointers,
        );
        const { body: list } = await sandbox.app.get('/1/messages');
        assert.deepEqual(list.data, []);
      });
    }

    it('a Twilio content template is sent by its SID and variables', async () => {
      const sandbox = await open('twilio');
      const parameters = { 1: 'Ada', 2: '4711' };
      const { status, body } = await post(sandbox, { name: 'order_shipped', parameters });
      assert.equal(status, 202);
      await sent(sandbox, body.id);
      await sandbox.shown('it', ({ text }) => text === 'Hi Ada, order 4711 is on its way.');
      const paused = await post(sandbox, { name: 'spring_sale' });
      assert.equal(paused.body.code, 'template_refused');
    });

    it('the dry run shows the template without a request to the vendor', async () => {
      const sandbox = await open('whatsapp');
      const request = bodyOf(sandbox, { template: SHIPPED });
      const { body } = await sandbox.app.post('/1/message?dry_run=true', request);
      assert.equal(body.error, null);
      assert.partialDeepStrictEqual(body.template, {
        source: 'vendor',
        name: 'order_shipped',
        language: 'pt_BR',
        layout: { body: 'Oi Ada, o pedido 4711 saiu.' },
      });
      assert.equal(body.parts[0].content.template.name, 'order_shipped');
      assert.deepEqual(await sandbox.phone(), []);
    });

    it('a template reaches people outside the window, and outside_window replaces free text', async () => {
      const clock = new TestClock();
      await using own = await openSandboxes(engine, { clock });
      const sandbox = await own.open('whatsapp');
      await sync(sandbox);
      clock.advance(25 * HOUR_MS);
      const arrived = (id: number) =>
        until(`message ${id}`, async () => {
          const { body } = await sandbox.app.get(`/1/messages/${id}`);
          if (/sent|delivered|read/.test(body.state)) return body;
          await clock.advanceGently(1_000);
          return undefined;
        });
      const direct = await post(sandbox, { name: 'hello_world' });
      assert.equal(direct.status, 202);
      await arrived(direct.body.id);
      const note = { type: 'Note', content: 'Free text' };
      const instructions = { outside_window: SHIPPED };
      const request = bodyOf(sandbox, instructions, undefined, note);
      const { body: preview } = await sandbox.app.post('/1/message?dry_run=true', request);
      assert.deepEqual(
        [preview.window.state, preview.template.name, preview.error],
        ['closed', 'order_shipped', null],
      );
      const { status, body } = await sandbox.app.post('/1/message', request);
      assert.equal(status, 202);
      const message = await arrived(body.id);
      assert.equal(message.outside_window.name, 'order_shipped');
      await sandbox.shown('the template', ({ text }) => /Oi Ada/.test(text));
      const { address: from } = sandbox.simulator.people[0];
      await sandbox.act('reply', { from, text: 'Hello' });
      await sandbox.event('the message', ({ type }) => type === 'message.received');
      const inside = await sandbox.app.post('/1/message', request);
      await arrived(inside.body.id);
      await sandbox.shown('the text', ({ text }) => text === 'Free text');
    });

    it('a refusal of the vendor fails the message with its reason', async () => {
      const sandbox = await open('whatsapp');
      const silent = sandbox.simulator.people.find(({ name }) => /Silent/.test(name))?.address;
      const free = await sandbox.send({ type: 'Note', content: 'Free text' }, silent);
      const closed = await sandbox.message(free, ({ state }) => state === 'failed');
      assert.equal(closed.error.code, 'window_closed');
      const note = { type: 'Note', content: 'Free text' };
      const instructions = { outside_window: { name: 'hello_world' } };
      const request = bodyOf(sandbox, instructions, silent, note);
      const replaced = await sandbox.app.post('/1/message', request);
      await sent(sandbox, replaced.body.id);
      const templated = await post(sandbox, { name: 'hello_world' }, silent);
      await sent(sandbox, templated.body.id);
    });

    it('a list that was synced once is read again every six hours', async () => {
      const clock = new TestClock();
      await using own = await openSandboxes(engine, { clock });
      const sandbox = await own.open('whatsapp');
      const other = await own.open('twilio');
      const path = ({ integrationId }: SandboxTest) => `/1/integrations/${integrationId}/templates`;
      const syncedAt = async (one: SandboxTest) => (await one.app.get(path(one))).body.synced_at;
      await sync(sandbox);
      const first = await syncedAt(sandbox);
      clock.advance(6 * HOUR_MS);
      const again = await until('the second sync', async () => {
        clock.advance(10_000);
        const at = await syncedAt(sandbox);
        return at !== first && at;
      });
      assert.ok(Date.parse(`${again}Z`) - Date.parse(`${first}Z`) >= 6 * HOUR_MS);
      assert.equal(await syncedAt(other), null, 'nobody asked for this list');
    });

    it('a channel without templates says so', async () => {
      const sandbox = await sandboxes.open('telegram');
      const { status, body } = await sync(sandbox);
      assert.deepEqual([status, body.code], [422, 'unsupported']);
    });
  });
}
