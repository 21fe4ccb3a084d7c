import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ACCOUNT_ID } from '../../src/sandbox/vendors/meta/templates.ts';
import { TOKEN, graphError } from '../emulators/meta/graph.ts';
import { NUMBER_ID, PEOPLE, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import { type DeliveryService, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

/* What the vendor refuses: the sync of its list, and templates that changed since. */

const HELLO = { name: 'hello_world' };

for (const engine of ENGINES) {
  describe(`refusals of templates (${engine})`, () => {
    const open = () =>
      openDelivery(engine, {
        channel: 'whatsapp',
        open: openWhatsApp,
        credentials: { token: TOKEN, username: NUMBER_ID, consumer_key: ACCOUNT_ID },
      });
    const path = ({ integrationId }: DeliveryService) =>
      `/1/integrations/${integrationId}/templates`;
    const sync = (sb: DeliveryService) => sb.app.post(`${path(sb)}/sync`);
    const bodyOf = ({ integrationId }: DeliveryService, instructions: Record<string, unknown>) => ({
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: integrationId },
        to: { type: 'Person', id: PEOPLE.known },
        object: { type: 'Note', content: 'Free text' },
      },
      ...instructions,
    });

    it('a sync that the vendor fails or refuses says so and keeps the old list', async () => {
      await using sb = await open();
      assert.equal((await sync(sb)).status, 202);
      const { body: before } = await sb.app.get(path(sb));
      assert.ok(before.data.length > 0);
      for (const [reply, status, code] of [
        [{ status: 503, body: 'Maintenance' }, 503, 'vendor_unavailable'],
        [graphError(190, 'Session has expired', { status: 401 }), 422, 'vendor_refused'],
        ['reset', 503, 'vendor_unavailable'],
      ] as const) {
        sb.peer.next(reply);
        const refused = await sync(sb);
        assert.deepEqual([refused.status, refused.body.code], [status, code]);
      }
      assert.deepEqual((await sb.app.get(path(sb))).body, before);
    });

    for (const [what, code] of [
      ['another number of parameters', 132_000],
      ['a deleted translation', 132_001],
      ['a text that became too long', 132_005],
      ['a text against the policy', 132_007],
      ['parameters of another format', 132_012],
      ['a paused template', 132_015],
      ['a disabled template', 132_016],
    ] as const) {
      it(`a message fails if the vendor reports ${what} (${code})`, async () => {
        await using sb = await open();
        await sync(sb);
        sb.peer.next(graphError(code, 'changed since'));
        const { status, body } = await sb.app.post('/1/message', bodyOf(sb, { template: HELLO }));
        assert.equal(status, 202);
        const { state, error, failed_attempts: attempts } = await sb.settled(body.id);
        assert.deepEqual([state, error?.code, attempts], ['failed', 'template_refused', 1]);
      });
    }

    it('a message that names a wrong template is refused and not stored', async () => {
      await using sb = await open();
      sb.peer.next({
        status: 200,
        body: {
          data: [
            {
              name: 'shop',
              language: 'en_US',
              status: 'APPROVED',
              category: 'MARKETING',
              components: [
                { type: 'BODY', text: 'Our catalog' },
                { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View' }] },
              ],
            },
            { name: 'gone', language: 'en_US', status: 'DISABLED', components: [] },
            { name: 'hello_world', language: 'en_US', status: 'APPROVED', components: [] },
          ],
        },
      });
      assert.equal((await sync(sb)).body.count, 3);
      const contents = { en: { content: 'Hi {{ name }}' } };
      await sb.app.post('/1/templates', { name: 'own', default_language: 'en', contents });
      for (const [instructions, pointer] of [
        [{ template: { name: 'shop' } }, '/template/name'],
        [{ template: { name: 'gone' } }, '/template/name'],
        [{ outside_window: { name: 'own', parameters: { name: 'Ada' } } }, '/outside_window/name'],
        [{ outside_window: { name: 'nothing' } }, '/outside_window/name'],
        [{ outside_window: { name: 'gone' } }, '/outside_window/name'],
        [{ template: { name: 'own' } }, '/template/parameters'],
      ] as const) {
        const request = bodyOf(sb, instructions);
        const { status, body } = await sb.app.post('/1/message', request);
        assert.deepEqual([status, body.code], [422, 'template_refused'], JSON.stringify(request));
        assert.equal(body.errors[0].pointer, pointer);
        const batch = await sb.app.post('/1/messages', { messages: [request] });
        assert.deepEqual([batch.status, batch.body.code], [422, 'template_refused']);
        const dryRun = await sb.app.post('/1/message?dry_run=true', request);
        assert.equal(dryRun.body.error.code, 'template_refused');
      }
      const { body: list } = await sb.app.get('/1/messages');
      assert.deepEqual(list.data, []);
    });
  });
}
