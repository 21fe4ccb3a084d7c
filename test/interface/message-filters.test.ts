import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

onEachEngine('message filters', (sb) => {
  /** Two Telegram messages and one Slack message, the middle one canceled; and a function that lists them. */
  const make = async () => {
    const { application, app } = await sb().application();
    const telegram = await integrate(app, application.id);
    const slack = await integrate(app, application.id, { name: 'slack', token: 'xoxb-fake' });
    const send = async (through: { id: number }, to: string) => {
      const generator = { type: 'Service', id: through.id };
      const recipient = { type: 'Person', id: to };
      return (await app.post('/1/message', message({ generator, to: recipient }))).body
        .id as number;
    };
    const a = await send(telegram, '1');
    const b = await send(telegram, '2');
    const c = await send(slack, 'C0123456789');
    await app.delete(`/1/messages/${b}`);
    const idsIn = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id);
    const found = async (query: string) => idsIn((await app.get(`/1/messages?${query}`)).body);
    return { app, a, b, c, telegram, slack, send, found, idsIn };
  };

  it('message filters accept several states at once, newest first', async () => {
    const { a, b, c, found } = await make();
    assert.deepEqual(await found('state=canceled,queued'), [c, b, a]);
    assert.deepEqual(await found('state=queued, sent'), [c, a]);
    assert.deepEqual(await found('state=failed,expired'), []);
    for (const wrong of ['state=queued,lost', 'state=queued,', 'state=,']) {
      assert.deepEqual(await found(wrong), [], wrong);
    }
  });

  it('message filters accept several states page by page in both directions', async () => {
    const { app, send, telegram, idsIn } = await make();
    const ids: number[] = [];
    for (let i = 0; i < 7; i++) ids.unshift(await send(telegram, '7'));
    for (const id of [ids[1], ids[4], ids[5]]) await app.delete(`/1/messages/${id}`);
    const filter = 'to=7&state=queued,canceled&limit=2';
    const seen: number[] = [];
    for (let path = `/1/messages?${filter}`; path !== '';) {
      const { body, headers } = await app.get(path);
      assert.ok(body.data.length <= 2);
      seen.push(...idsIn(body));
      const [, next] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
      path = next === undefined ? '' : next.replace(app.url, '');
    }
    assert.deepEqual(seen, ids);
    const back = await app.get(`/1/messages?${filter}&ending_before=${ids[6]}`);
    assert.deepEqual(idsIn(back.body), [ids[4], ids[5]]);
    assert.match(back.headers.get('link') ?? '', /rel="prev"/);
  });

  it('message filters accept a channel under any of its names', async () => {
    const { a, b, c, slack, found } = await make();
    assert.deepEqual(await found('channel=telegram'), [b, a]);
    assert.deepEqual(await found('channel=SLACK'), [c]);
    assert.deepEqual(await found('channel=telegram&state=queued'), [a]);
    assert.deepEqual(await found(`channel=telegram&integration_id=${slack.id}`), []);
    assert.deepEqual(await found(`channel=slack&integration_id=${slack.id}`), [c]);
    for (const wrong of ['channel=discord', 'channel=nonsense', 'channel=', 'channel=events']) {
      assert.deepEqual(await found(wrong), [], wrong);
    }
  });

  it('message filters accept an id or its beginning', async () => {
    const { a, b, c, found } = await make();
    const all = [c, b, a];
    for (const id of all) assert.ok((await found(`id=${id}`)).includes(id));
    for (const prefix of ['1', String(a).slice(0, 1), String(c).slice(0, -1)]) {
      const wanted = all.filter((id) => prefix !== '' && String(id).startsWith(prefix));
      if (prefix !== '') assert.deepEqual(await found(`id=${prefix}`), wanted, prefix);
    }
    for (const wrong of ['0', `0${a}`, 'x', `${a}x`, '-1', '9'.repeat(16), '9'.repeat(30), '']) {
      assert.deepEqual(await found(`id=${wrong}`), [], wrong);
    }
  });
});
