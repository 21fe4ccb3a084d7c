import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';
const UNSAFE = ['9007199254740992', '9007199254740993', INT64_MAX];
const BELOW = ['0', '-1', '-9007199254740993', INT64_MIN];
const NOT_INT64 = [
  'x',
  '1.5',
  '9223372036854775808',
  '99999999999999999999',
  '%00',
  '%F0%9F%98%80',
];

const idsIn = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id);

onEachEngine('cursors', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application({ webhook_url: 'https://example.com/' });
    await integrate(app, application.id);
    for (let i = 0; i < 3; i++) await app.post('/1/message', message());
    return { application, app };
  };

  it('cursors treat an empty value as absent and accept any int64 in every list', async () => {
    const { application, app } = await make();
    const lists = sb().service.routes.filter(
      ({ method, path, query = [] }) =>
        method === 'GET' &&
        query.some(({ name }) => name === 'starting_after') &&
        // Needs an integration in the sandbox; entries of a conversation have ids of two kinds, and errors have lines.
        !/^\/1\/(?:sandbox|conversations|contact-imports)\/:/.test(path),
    );
    assert.ok(lists.length >= 10);
    const newest = [];
    for (const { path: pattern, auth } of lists) {
      const owner = pattern.startsWith('/1/teams/') ? sb().team.id : application.id;
      const path = pattern.replace(':id', owner);
      const client = auth === 'application' ? app : sb().api;
      const list = async (query: string) => {
        const { status, body, headers } = await client.get(`${path}?${query}`);
        assert.equal(status, 200, `${path}?${query}`);
        return { ids: idsIn(body), link: headers.get('link') ?? '' };
      };
      const all = (await list('limit=1000')).ids;
      const [oldest] = all.slice(-1);
      if (all.length > 0) newest.push(path);
      const same = async (query: string, ids: number[]) =>
        assert.deepEqual((await list(query)).ids, ids, `${path}?${query}`);
      await same('starting_after=', all.slice(0, 100));
      await same('ending_before=', all.slice(0, 100));
      await same('starting_after=&ending_before=', all.slice(0, 100));
      await same(`starting_after=&ending_before=${INT64_MIN}`, all.slice(-100));
      for (const cursor of UNSAFE) {
        await same(`starting_after=${cursor}`, all.slice(0, 100));
        await same(`ending_before=${cursor}`, []);
      }
      for (const cursor of BELOW) {
        await same(`starting_after=${cursor}`, []);
        await same(`ending_before=${cursor}&limit=1`, oldest === undefined ? [] : [oldest]);
      }
      for (const cursor of NOT_INT64) {
        await same(`starting_after=${cursor}`, []);
        await same(`ending_before=${cursor}`, []);
      }
    }
    assert.ok(newest.includes('/1/messages') && newest.includes('/1/applications'));
  });

  it('cursors continue from their position, also before the first and after the last item', async () => {
    const { app } = await make();
    const { body } = await app.get('/1/messages');
    const [newest, , oldest] = idsIn(body);
    const first = await app.get(`/1/messages?limit=1&starting_after=${INT64_MAX}`);
    assert.deepEqual(idsIn(first.body), [newest]);
    assert.match(first.headers.get('link') ?? '', /rel="next"/);
    const last = await app.get(`/1/messages?limit=1&ending_before=${INT64_MIN}`);
    assert.deepEqual(idsIn(last.body), [oldest]);
    assert.match(last.headers.get('link') ?? '', /rel="prev"/);
  });

  it('cursors of the feed treat an empty value as absent and accept any int64', async () => {
    const { app } = await make();
    const { body } = await app.get('/1/messages');
    for (const id of idsIn(body)) await app.delete(`/1/messages/${id}`);
    const list = async (query: string) => {
      const { status, body: page, headers } = await app.get(`/1/events?${query}`);
      assert.equal(status, 200, query);
      return { ids: idsIn(page), link: headers.get('link') ?? '' };
    };
    for (const type of ['', '&type=message.canceled']) {
      assert.deepEqual((await list(`after=${type}`)).ids, [1, 2, 3]);
      assert.deepEqual((await list(`order=desc&before=${type}`)).ids, [3, 2, 1]);
      for (const cursor of BELOW) {
        assert.deepEqual((await list(`after=${cursor}${type}`)).ids, [1, 2, 3]);
        assert.deepEqual((await list(`order=desc&before=${cursor}${type}`)).ids, []);
      }
      for (const cursor of UNSAFE) {
        const { ids, link } = await list(`after=${cursor}${type}`);
        assert.deepEqual(ids, []);
        const next = /<[^?]+\?([^>]+)>/.exec(link)?.[1] ?? '';
        assert.deepEqual((await list(next)).ids, []);
        assert.deepEqual((await list(`order=desc&before=${cursor}${type}`)).ids, [3, 2, 1]);
      }
      for (const cursor of NOT_INT64) await list(`after=${cursor}${type}`);
    }
  });
});
