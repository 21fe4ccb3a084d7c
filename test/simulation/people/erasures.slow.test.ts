import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { SECRETS } from '../../channels/meta/proof.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { NUMBER_ID } from '../../emulators/meta/whatsapp.ts';
import { openHttp } from '../../emulators/server/http.ts';
import { changes, receiveWebhook } from '../../events/whatsapp-service.ts';
import { TestClock } from '../../support/clock.ts';
import { fc } from '../../support/fast-check.ts';
import { message } from '../../support/service/activity.ts';
import {
  type DeliveryService,
  asTimePasses,
  openDelivery,
} from '../../support/service/delivery.ts';
import { tracesOf } from '../../support/service/traces.ts';
import { ENGINES } from '../../support/store/databases.ts';
import { runsOr } from '../scenarios.ts';

/* Random requests and reports about a person while the person is erased. `RUNS=500 npm run test:slow` makes more. */

const ACTIONS = [
  'send',
  'send to number',
  'schedule',
  'write',
  'report',
  'import',
  'merge',
  'merge into other',
  'unmerge',
  'change',
  'add address',
  'delete',
  'erase',
  'read',
] as const;

type Action = (typeof ACTIONS)[number];

interface Scene {
  id: number;
  otherId: number;
  number: string;
  /** The vendor's id of a message that was sent before. */
  sentId: string;
  /** What is written at the same time as the erasure. */
  late: string;
}

for (const engine of ENGINES) {
  describe(`simulated erasures (${engine})`, () => {
    const clock = new TestClock();
    let sb: DeliveryService;
    let scenes = 0;
    let received = 0;
    before(async () => {
      let sent = 0;
      const answer = () => ({
        status: 200,
        body: { messaging_product: 'whatsapp', messages: [{ id: `wamid.sent.${++sent}` }] },
      });
      sb = await openDelivery(engine, {
        channel: 'whatsapp',
        open: () => openHttp(answer),
        credentials: { token: TOKEN, username: NUMBER_ID, ...SECRETS },
        clock,
      });
    });
    after(() => sb[Symbol.asyncDispose]());

    const send = (to: string, text: string, change: Record<string, unknown> = {}) =>
      sb.app.post('/1/message', {
        ...message({
          generator: { type: 'Service', id: sb.integrationId },
          to: { type: 'Person', id: to },
          object: { type: 'Note', content: text },
        }),
        ...change,
      });
    const receive = (number: string, text: string) => {
      const body = { timestamp: '1749416383', type: 'text', text: { body: text } };
      const id = `wamid.received.${++received}`;
      return receiveWebhook(sb, changes({ messages: [{ id, from: number, ...body }] }));
    };

    async function act(action: Action, scene: Scene): Promise<{ status: number; body?: unknown }> {
      const { id, otherId, number, sentId, late } = scene;
      const path = `/1/contacts/${id}`;
      switch (action) {
        case 'send':
          return send(`contact:${id}`, late);
        case 'send to number':
          return send(number, late);
        case 'schedule': {
          const at = new Date(clock.now() + 1_000).toISOString();
          return send(`contact:${id}`, late, { send_at: at });
        }
        case 'write':
          await receive(number, late);
          return { status: 200 };
        case 'report': {
          const status = { status: 'delivered', timestamp: '1749416383', recipient_id: number };
          await receiveWebhook(sb, changes({ statuses: [{ id: sentId, ...status }] }));
          return { status: 200 };
        }
        case 'import':
          return sb.app.request('POST', '/1/contact-imports', {
            raw: `external_id,whatsapp\n${late},${number}\n`,
            headers: { 'content-type': 'text/csv' },
          });
        case 'merge':
          return sb.app.post(`${path}/merge`, { contact_id: otherId });
        case 'merge into other':
          return sb.app.post(`/1/contacts/${otherId}/merge`, { contact_id: id });
        case 'unmerge':
          return sb.app.post(`${path}/unmerge`, { contact_id: otherId });
        case 'change':
          return sb.app.put(path, { name: late });
        case 'add address':
          return sb.app.post(`${path}/addresses`, {
            channel: 'email',
            address: `${late}@example.com`,
          });
        case 'delete':
          return sb.app.delete(path);
        case 'erase':
          return sb.app.post(`${path}/erase`);
        case 'read':
          return sb.app.get('/1/conversations');
      }
    }

    it('whatever happens at the same time, nothing from before the erasure is left', async () => {
      const actions = fc.array(fc.constantFrom(...ACTIONS), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(actions, fc.nat(6), async (chosen, place) => {
          const digits = String(++scenes).padStart(4, '0');
          const [early, late] = [`early-${digits}`, `late-${digits}`];
          const number = `1650559${digits}`;
          const contact = {
            name: early,
            addresses: [{ channel: 'whatsapp', address: number, label: early }],
          };
          const { body: person } = await sb.app.post('/1/contacts', contact);
          const { body: other } = await sb.app.post('/1/contacts', { name: `other-${digits}` });
          await receive(number, early);
          const { body: first } = await send(`contact:${person.id}`, early);
          const isSent = () => sb.message(first.id, ({ state }) => state === 'sent');
          const [sentId = ''] = (await isSent()).channel_ids;
          const scene: Scene = { id: person.id, otherId: other.id, number, sentId, late };
          const all = chosen.toSpliced(place, 0, 'erase');
          const answers = await Promise.all(all.map((action) => act(action, scene)));
          for (const [i, { status }] of answers.entries()) {
            assert.ok(status < 500, `${all[i]}: ${status}`);
          }
          const isErased = all.some((one, i) => one === 'erase' && answers[i]?.status === 202);
          if (isErased) {
            await asTimePasses(clock, 500, 'the erasure', async () => {
              const { body } = await sb.app.get(`/1/contacts/${person.id}/erasure`);
              return body.state === 'done';
            });
            await sb.app.get('/1/conversations');
            assert.deepEqual(await tracesOf(sb.service.store, early), [], all.join(', '));
          }
          for (const [i, { status, body }] of answers.entries()) {
            if (!all[i]?.startsWith('s') || status !== 202) continue;
            const { id } = body as { id: number };
            await asTimePasses(clock, 500, `message ${id} is settled`, async () => {
              const { status: found, body: shown } = await sb.app.get(`/1/messages/${id}`);
              return found === 404 || !['queued', 'scheduled', 'sending'].includes(shown.state);
            });
          }
        }),
        { numRuns: runsOr(15) },
      );
    });
  });
}
