import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Reply } from '../support/service/client.ts';
import { feedOf } from '../support/service/feed.ts';
import { ENGINES } from '../support/store/databases.ts';
import { MINUTE_MS, type Routed, openRouted } from './routed-sandbox.ts';

/* Updates and deletions of messages with several routes, from Teams to Telegram, both in the sandbox. */

const ADA_TEAMS = 'a:1-ada-example';
const ADA_TELEGRAM = '123456789';
const ADA_WHATSAPP = '16505551234';

const ROUTES = [
  { via: 'ms-teams', until: 'read', after: 'PT2M' },
  { via: 'telegram', to: ADA_TELEGRAM },
];

type Shown = Reply['body'];

for (const engine of ENGINES) {
  describe(`changes to messages with routes (${engine})`, () => {
    let routed: Routed;
    let teams: number;
    let telegram: number;

    before(async () => {
      routed = await openRouted(engine);
      teams = await add('ms-teams');
      telegram = await add('telegram');
    });
    after(() => routed[Symbol.asyncDispose]());

    async function add(name: string): Promise<number> {
      const { app, applicationId } = routed;
      const fields = { application_id: applicationId, name, state: 'enable', mode: 'sandbox' };
      return (await app.post('/1/integrations', fields)).body.id;
    }

    const activity = (type: string, objectId: string, content: string, to = ADA_TEAMS) => ({
      '@context': 'https://www.w3.org/ns/activitystreams',
      type,
      generator: { type: 'Service', name: 'ms-teams' },
      to: { type: 'Person', id: to },
      object: { type: 'Note', id: objectId, content },
    });

    /** Posts a message with routes; returns its id. */
    async function create(objectId: string, content: string, routes: unknown = ROUTES) {
      const message = activity('Create', objectId, content);
      const { status, body } = await routed.app.post('/1/message', { message, routes });
      assert.equal(status, 202, JSON.stringify(body));
      return Number(body.id);
    }

    async function change(message: Record<string, unknown>): Promise<number> {
      const { status, body } = await routed.app.post('/1/message', { message });
      assert.equal(status, 202, JSON.stringify(body));
      return body.id;
    }

    const sentBy = (id: number, route: number) =>
      routed.reach(id, `route ${route}`, ({ routes, state }: Shown) => {
        return routes[route].parts_sent === 1 && ['sent', 'delivered'].includes(state);
      });
    const settled = (id: number) =>
      routed.reach(id, 'the end', ({ state }: Shown) => ['sent', 'failed'].includes(state));

    /** What the phones show of a message, by the channel's ids of each route. */
    async function phones(id: number): Promise<Shown[]> {
      const { routes } = await routed.show(id);
      return Promise.all(
        routes.map(async ({ integration_id: integrationId, channel_ids: [own] }: Shown) => {
          const entries = await routed.phoneOf(integrationId);
          return entries.find(({ channel_id: one }: Shown) => one === own);
        }),
      );
    }

    const statesOf = ({ routes }: Shown) => routes.map(({ state }: Shown) => state);

    it('an update changes the message on each route that sent it, the newest first', async () => {
      const id = await create('both', 'Before');
      await sentBy(id, 1);
      for (const content of ['After', 'After that']) {
        const update = await change(activity('Update', 'both', content));
        const shown = await settled(update);
        assert.equal(shown.state, 'sent', JSON.stringify(shown));
        assert.deepEqual(statesOf(shown), ['sent', 'sent']);
        assert.deepEqual(
          shown.routes.map(({ integration_id: one }: Shown) => one),
          [telegram, teams],
        );
        assert.equal(shown.error, null);
        assert.deepEqual(await routed.events(update), ['message.sent']);
        const texts = (await phones(id)).map((entry) => entry?.text);
        assert.deepEqual(texts, [content, content]);
      }
      const original = await routed.show(id);
      assert.equal(original.message.object.content, 'Before');
      assert.deepEqual(statesOf(original), ['sent', 'sent']);
    });

    it('an update reaches all routes through any of them', async () => {
      const id = await create('any', 'Before');
      await sentBy(id, 1);
      const named = { type: 'Service', name: 'telegram' };
      const message = { ...activity('Update', 'any', 'After', ADA_TELEGRAM), generator: named };
      await settled(await change(message));
      assert.deepEqual(
        (await phones(id)).map((entry) => entry?.text),
        ['After', 'After'],
      );
    });

    it('a route that starts after an update sends the new content', async () => {
      const id = await create('later', 'Before');
      await sentBy(id, 0);
      await settled(await change(activity('Update', 'later', 'After')));
      await sentBy(id, 1);
      const [first, second] = await phones(id);
      assert.deepEqual([first?.text, second?.text], ['After', 'After']);
      assert.equal(second?.edited, undefined);
      assert.equal((await routed.show(id)).message.object.content, 'Before');
      // The next update finds what that route sent.
      await settled(await change(activity('Update', 'later', 'After that')));
      assert.deepEqual(
        (await phones(id)).map((entry) => entry?.text),
        ['After that', 'After that'],
      );
    });

    it('a deletion removes the sent message and drops the remaining routes', async () => {
      const id = await create('gone', 'Before');
      await sentBy(id, 0);
      const deletion = await change(activity('Delete', 'gone', 'Before'));
      assert.deepEqual(statesOf(await routed.show(id)), ['sent', 'canceled']);
      assert.equal((await settled(deletion)).state, 'sent');
      const shown = await routed.phoneOf(telegram);
      routed.clock.advance(5 * MINUTE_MS);
      await routed.store.routes.run(routed.clock.now(), 100);
      await routed.store.schedule.release(routed.clock.now(), 100);
      assert.equal((await routed.phoneOf(telegram)).length, shown.length);
      const [first] = await phones(id);
      assert.equal(first?.deleted, true);
      const ended = await routed.show(id);
      assert.deepEqual([ended.state, ended.error], ['sent', null]);
    });

    it('a deletion holds although the service ended before it dropped the routes', async () => {
      const { store, clock } = routed;
      const id = await create('crash', 'Before');
      await sentBy(id, 0);
      const drop = store.routes.drop.bind(store.routes);
      store.routes.drop = async () => {};
      await settled(await change(activity('Delete', 'crash', 'Before')));
      store.routes.drop = drop;
      const shown = await routed.phoneOf(telegram);
      clock.advance(3 * MINUTE_MS);
      const ended = await routed.reach(
        id,
        'the end',
        ({ state, routes }) => state !== 'scheduled' && routes[1].state !== 'pending',
      );
      assert.deepEqual([ended.state, ended.error], ['sent', null]);
      assert.deepEqual(statesOf(ended), ['sent', 'canceled']);
      assert.equal((await routed.phoneOf(telegram)).length, shown.length);
    });

    it('a deletion removes the message on each route that sent it', async () => {
      const id = await create('all', 'Before');
      await sentBy(id, 1);
      assert.equal((await settled(await change(activity('Delete', 'all', '')))).state, 'sent');
      assert.deepEqual(
        (await phones(id)).map((entry) => entry?.deleted),
        [true, true],
      );
    });

    it('a route whose channel cannot change it is skipped', async () => {
      const routes = [{ via: 'whatsapp', until: 'read', after: 'PT2M' }, ROUTES[1]];
      const message = activity('Create', 'partly', 'Before', ADA_WHATSAPP);
      const generator = { type: 'Service', name: 'whatsapp' };
      const { body } = await routed.app.post('/1/message', {
        message: { ...message, generator },
        routes,
      });
      await sentBy(body.id, 0);
      const early = { ...activity('Update', 'partly', 'After', ADA_WHATSAPP), generator };
      const refused = await routed.app.post('/1/message', { message: early });
      assert.deepEqual([refused.status, refused.body.code], [422, 'unsupported']);
      assert.equal(refused.body.errors[0].pointer, '/message/type');
      await sentBy(body.id, 1);
      const shown = await settled(await change(early));
      assert.deepEqual([shown.state, ...statesOf(shown)], ['sent', 'sent', 'skipped']);
      assert.equal(shown.routes[1].because.code, 'unsupported');
      const [first, second] = await phones(body.id);
      assert.deepEqual([first?.text, second?.text], ['Before', 'After']);
    });

    it('a change that fails on one route has failed, and can be resent', async () => {
      const id = await create('failing', 'Before');
      await sentBy(id, 1);
      const behave = (behaviours: unknown) =>
        routed.app.put(`/1/sandbox/${telegram}/behaviour`, { behaviours });
      await behave([{ fault: 'blocked' }]);
      const update = await change(activity('Update', 'failing', 'After'));
      const failed = await settled(update);
      assert.deepEqual([failed.state, ...statesOf(failed)], ['failed', 'failed', 'sent']);
      assert.deepEqual([failed.route, failed.error.code], [0, 'recipient']);
      assert.equal((await phones(id))[0]?.text, 'After');
      await behave([]);
      assert.equal((await routed.app.post(`/1/messages/${update}/resend`, {})).status, 202);
      const sent = await routed.reach(update, 'sent', ({ state }) => state === 'sent');
      assert.deepEqual(statesOf(sent), ['sent', 'sent']);
      assert.deepEqual(
        (await phones(id)).map((entry) => entry?.text),
        ['After', 'After'],
      );
    });

    it('a change of a message that no route has sent is refused', async () => {
      const routes = [
        { via: 'ms-teams', to: 'a:fault-002', after: 'PT1M' },
        { via: 'telegram', to: '900000002' },
      ];
      const message = activity('Create', 'unsent', 'Before', 'a:fault-002');
      const { body } = await routed.app.post('/1/message', { message, routes });
      await routed.reach(body.id, 'the end', ({ state }) => state === 'failed');
      const update = activity('Update', 'unsent', 'After', 'a:fault-002');
      const refused = await routed.app.post('/1/message', { message: update });
      assert.deepEqual([refused.status, refused.body.code], [422, 'unknown_object']);
    });

    it('a dry run of an update shows each route', async () => {
      const id = await create('dry', 'Before');
      await sentBy(id, 1);
      const message = activity('Update', 'dry', 'After');
      const { status, body } = await routed.app.post('/1/message?dry_run=true', { message });
      assert.equal(status, 200, JSON.stringify(body));
      assert.equal(body.routes.length, 2);
      const feed = await feedOf(routed.app);
      assert.ok(feed.every(({ data }) => data['object_id'] !== 'dry' || data['id'] === id));
    });

    it('a message of a pool is changed through the pool', async () => {
      const { app } = routed;
      const other = await add('telegram');
      const members = [telegram, other].map((id) => ({ integration_id: id }));
      const created = await app.post('/1/pools', { name: 'bots', members });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      const generator = { type: 'Service', id: 'pool:bots' };
      const message = { ...activity('Create', 'pooled', 'Before', ADA_TELEGRAM), generator };
      const id = await change(message);
      await sentBy(id, 0);
      const update = { ...activity('Update', 'pooled', 'After', ADA_TELEGRAM), generator };
      assert.equal((await settled(await change(update))).state, 'sent');
      assert.equal((await phones(id))[0]?.text, 'After');
      const unknown = { ...update, object: { ...update.object, id: 'unknown' } };
      const refused = await app.post('/1/message', { message: unknown });
      assert.deepEqual([refused.status, refused.body.code], [422, 'unknown_object']);
    });
  });
}
