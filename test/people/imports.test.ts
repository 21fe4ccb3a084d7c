import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { it } from 'node:test';

import type { ContactImport, ContactImportError } from '../../sdk/src/index.ts';
import type { Client } from '../support/service/client.ts';
import { feedOf } from '../support/service/feed.ts';
import { onEachEngine } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';

const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const PATH = '/1/contact-imports';

interface Contact {
  id: number;
  external_id: string | null;
  name: string | null;
  fields: Record<string, unknown>;
  addresses: { channel: string; address: string; evidence: string }[];
}

const send = (app: Client, raw: string | Uint8Array, headers: Record<string, string> = CSV) =>
  app.post(PATH, undefined, { raw, headers });

const finished = (app: Client, id: number): Promise<ContactImport> =>
  until('the end of the import', async () => {
    const { body } = await app.get(`${PATH}/${id}`);
    return body.finished_at !== null && body;
  });

async function load(app: Client, raw: string, headers: Record<string, string> = CSV) {
  const { status, body, headers: answered } = await send(app, raw, headers);
  assert.equal(status, 202);
  assert.equal(answered.get('location'), `${PATH}/${body.id}`);
  const over = await finished(app, body.id);
  const { body: errors } = await app.get(`${PATH}/${body.id}/errors`);
  const lines = errors.data.map(({ line }: ContactImportError) => line);
  const { state, total, done, created, updated, unchanged, failed } = over;
  assert.deepEqual([state, done, lines.length], ['done', total, failed]);
  return { counts: [created, updated, unchanged, failed], lines };
}

const contactsOf = async (app: Client): Promise<Contact[]> =>
  (await app.get('/1/contacts?limit=1000')).body.data;

const byExternalId = async (app: Client, id: string): Promise<Contact> =>
  (await app.get(`/1/contacts?external_id=${id}`)).body.data[0];

onEachEngine(
  'imports of contacts',
  (sb) => {
    const make = async () => (await sb().application()).app;

    it('an import stores good rows, and reports the others with their line', async () => {
      const app = await make();
      const { counts, lines } = await load(
        app,
        [
          'external_id,name,timezone,sms,email,fields.plan',
          'a,"Lovelace, Ada",Europe/London,15558675310,Ada@Example.com,gold',
          'b,Grace,Mars/Phobos,+15558675311,,',
          ',Nobody,,,,',
          '"c,open',
          'd,Dorothy,,,,silver',
          'e,Eve,,no number,,',
        ].join('\r\n'),
      );
      assert.deepEqual(counts, [2, 0, 0, 4]);
      assert.deepEqual(lines, [3, 4, 5, 7]);
      const { name, fields, addresses } = await byExternalId(app, 'a');
      assert.deepEqual([name, fields], ['Lovelace, Ada', { plan: 'gold' }]);
      assert.deepEqual(
        addresses.map(({ channel, address, evidence }) => [channel, address, evidence]),
        [
          ['sms', '+15558675310', 'import'],
          ['email', 'ada@example.com', 'import'],
        ],
      );
      const { body: found } = await app.get('/1/contacts?search=ada');
      assert.equal(found.data.length, 1);
      const types = (await feedOf(app)).map(({ type }) => type);
      assert.deepEqual(types, ['contact.created', 'contact.created']);
    });

    it('importing a file again changes nothing, in both formats', async () => {
      const app = await make();
      const lines = Array.from({ length: 600 }, (_, i) => ({
        external_id: `c${i}`,
        name: `Person ${i}`,
        locale: null,
        fields: { number: String(i), note: 'two\nlines' },
        addresses: [{ channel: 'sms', address: `+1555${String(i).padStart(7, '0')}` }],
      }));
      const json = lines.map((line) => JSON.stringify(line)).join('\n');
      assert.deepEqual((await load(app, json, NDJSON)).counts, [600, 0, 0, 0]);
      assert.deepEqual((await load(app, json, NDJSON)).counts, [0, 0, 600, 0]);
      const csv = lines.map(
        ({ external_id: id, name, fields, addresses }) =>
          `${id},${name},${fields.number},"${fields.note}",${addresses[0]?.address}`,
      );
      const head = 'external_id,name,fields.number,fields.note,sms';
      assert.deepEqual((await load(app, [head, ...csv].join('\n'))).counts, [0, 0, 600, 0]);
      assert.equal((await contactsOf(app)).length, 600);
    });

    it('a row is about the contact with its external id or its address, and joins no two', async () => {
      const app = await make();
      const post = async (body: Record<string, unknown>) =>
        (await app.post('/1/contacts', body)).body as Contact;
      const sms = (address: string) => [{ channel: 'sms', address }];
      const known = await post({ external_id: 'a', name: 'Ada', fields: { plan: 'gold', old: 1 } });
      const wrote = await post({ addresses: sms('+15558675310') });
      await post({ external_id: 'g', addresses: sms('+15558675311') });
      const { counts, lines } = await load(
        app,
        [
          'external_id,name,sms,email,fields.plan',
          'a,,,ada@example.com,silver',
          'w,Wanda,+15558675310,,',
          'a,,+15558675310,,',
          'x,,+15558675311,,',
          'n,New,+15558675312,,',
          ',Newer,+15558675312,new@example.com,',
        ].join('\n'),
      );
      assert.deepEqual(counts, [1, 3, 0, 2]);
      assert.deepEqual(lines, [4, 5]);
      const ada = await byExternalId(app, 'a');
      assert.deepEqual(
        [ada.id, ada.name, ada.fields, ada.addresses.map(({ address }) => address)],
        [known.id, 'Ada', { plan: 'silver', old: 1 }, ['ada@example.com']],
      );
      assert.equal((await byExternalId(app, 'w')).id, wrote.id);
      const { name, addresses } = await byExternalId(app, 'n');
      assert.deepEqual(
        [name, addresses.map(({ address }) => address)],
        ['Newer', ['+15558675312', 'new@example.com']],
      );
      assert.equal((await contactsOf(app)).length, 4);
    });

    it('no part of a row is lost without an error', async () => {
      const app = await make();
      const { counts, lines } = await load(
        app,
        'external_id,name\ra,Ada\rb,Lovelace, Ada\nc\r\nd,Dora,\n',
      );
      assert.deepEqual([counts, lines], [[3, 0, 0, 1], [3]]);
      const found = await Promise.all(['a', 'b', 'c', 'd'].map((id) => byExternalId(app, id)));
      assert.deepEqual(
        found.map((one) => one?.name),
        ['Ada', undefined, null, 'Dora'],
      );
    });

    it('a file that lists no contacts is refused, and leaves nothing behind', async () => {
      const app = await make();
      const cases: [string | Uint8Array, Record<string, string>, number][] = [
        ['external_id,phone\na,1\n', CSV, 422],
        [`${'sms,'.repeat(300)}name\n`, CSV, 422],
        ['external_id,name,name\na,1,2\n', CSV, 422],
        ['external_id,fields.plan,fields.plan\na,1,2\n', CSV, 422],
        ['external_id,fields.\na,1\n', CSV, 422],
        ['external_id,fields.__proto__\na,1\n', CSV, 422],
        ['external_id\na\n', { 'content-type': 'application/json' }, 415],
        [new Uint8Array([0xff, 0xfe, 0x41]), CSV, 422],
        [new Uint8Array([0xfe, 0xff, 0, 0x61]), CSV, 422],
        [Buffer.from('external_id\na\n', 'utf16le'), CSV, 422],
        [Buffer.from('external_id\n\xe9\n', 'latin1'), CSV, 422],
        [','.repeat(10_000_000), CSV, 422],
        [`"external_id\n${'a\n'.repeat(100_000)}`, CSV, 422],
      ];
      for (const [raw, headers, expected] of cases) {
        assert.equal((await send(app, raw, headers)).status, expected, String(raw).slice(0, 40));
      }
      assert.deepEqual((await app.get(PATH)).body.data, []);
      const { counts } = await load(app, '\0\nnot json\n{"a":1}\n[]\n7\n', NDJSON);
      assert.deepEqual(counts, [0, 0, 0, 5]);
      assert.deepEqual(await contactsOf(app), []);
    });

    it('a hostile line is one error, and the lines after it are imported', async () => {
      const app = await make();
      const endless = 'x'.repeat(17 * 1024 * 1024);
      const rows = [
        '\uFEFFexternal_id,name,fields.note',
        'a,Ada,=1+1',
        `b,${endless},`,
        `c,"${'y'.repeat(150_000)},`,
        `d,Dora,${','.repeat(90_000)}`,
        `e,Eve,${','.repeat(90_000)}x`,
        'f,"F"x,',
        'g,\0,',
        'h,Hal,@SUM(1)',
        'i,"Ida',
      ];
      const csv = await load(app, rows.join('\r\n'));
      assert.deepEqual(
        [csv.counts, csv.lines],
        [
          [3, 0, 0, 6],
          [3, 4, 6, 7, 8, 10],
        ],
      );
      const notes = ['a', 'd', 'h'].map(async (id) => (await byExternalId(app, id)).fields['note']);
      assert.deepEqual(await Promise.all(notes), ['=1+1', undefined, '@SUM(1)'], 'as they are');
      const lines = [
        '\uFEFF{"external_id":"j"}',
        `{"external_id":"k","name":"${endless}"}`,
        '{"external_id":"l","name":"\\u0000"}',
        '['.repeat(90_000),
        '{"external_id":"m"}',
      ];
      const json = await load(app, lines.join('\r\n'), NDJSON);
      assert.deepEqual(
        [json.counts, json.lines],
        [
          [2, 0, 0, 3],
          [2, 3, 4],
        ],
      );
    });

    it('a line has the rules of a JSON body', async () => {
      const app = await make();
      const lines = [
        '{"external_id":"a","external_id":"b"}',
        '{"external_id":"c","fields":{"__proto__":"x"}}',
        '{"external_id":"d","fields":{"note":"\\ud800"}}',
        '{"external_id":"e","fields":{"note":"\\u0000"}}',
        '{"external_id":"f","fields":{"\\ud800":"x"}}',
        `{"external_id":"g","other":${'['.repeat(40)}${']'.repeat(40)}}`,
        '{"external_id":"h","fields":{"constructor":"x"}}',
      ];
      const json = await load(app, lines.join('\n'), NDJSON);
      assert.deepEqual(
        [json.counts, json.lines],
        [
          [1, 0, 0, 6],
          [1, 2, 3, 4, 5, 6],
        ],
      );
      const csv = await load(app, 'external_id,fields.note\ni,\0\nj,x\n');
      assert.deepEqual([csv.counts, csv.lines], [[1, 0, 0, 1], [2]]);
      const known = (await contactsOf(app)).map((one) => one.external_id);
      assert.deepEqual(known.toSorted(), ['h', 'j']);
    });

    it('a file that is larger than the limit is refused, also before it arrives', async () => {
      const app = await make();
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      const head = [
        'POST /1/contact-imports HTTP/1.1',
        'Host: localhost',
        'Content-Type: text/csv',
      ];
      const length = `Content-Length: ${257 * 1024 * 1024}`;
      socket.write([...head, `Authorization: Bearer ${app.token}`, length, '', ''].join('\r\n'));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      assert.match(answer.toString(), /^HTTP\/1\.1 413 /);
    });

    it('a repeated request with an Idempotency-Key starts one import', async () => {
      const app = await make();
      const headers = { ...CSV, 'idempotency-key': 'one' };
      const first = await send(app, 'external_id\na\n', headers);
      const second = await send(app, 'external_id\na\n', headers);
      assert.deepEqual(second.body, first.body);
      const other = await send(app, 'external_id\nb\n', headers);
      assert.equal(other.body.code, 'idempotency_key_reused');
      assert.equal((await app.get(PATH)).body.data.length, 1);
    });

    it('errors are paged by line, with any cursor', async () => {
      const app = await make();
      const { body } = await send(app, 'sms\nx\ny\n+15558675310\nz\n');
      const errors = async (query: string) => {
        const answer = await app.get(`${PATH}/${body.id}/errors?${query}`);
        assert.equal(answer.status, 200, query);
        const lines = answer.body.data.map(({ line }: ContactImportError) => line);
        return { lines, link: answer.headers.get('link') ?? '' };
      };
      assert.deepEqual(await errors(''), { lines: [2, 3, 5], link: '' });
      const first = await errors('limit=2');
      assert.deepEqual(first.lines, [2, 3]);
      assert.match(first.link, /starting_after=3>; rel="next"/);
      for (const [cursor, lines] of [
        ['3', [5]],
        ['5', []],
        ['-1', [2, 3, 5]],
        ['9223372036854775807', []],
        ['9223372036854775808', []],
        ['x', []],
        ['%00', []],
      ] as const) {
        assert.deepEqual((await errors(`starting_after=${cursor}`)).lines, lines, cursor);
      }
    });
  },
  { environment: { SWITCHBOARD_ROLE: 'all' } },
);

// Nobody works on the imports of these.
onEachEngine('waiting imports of contacts', (sb) => {
  it('a canceled import never runs, and its rows are removed', async () => {
    const { application, app } = await sb().application();
    const { body } = await send(app, 'external_id\na\n');
    assert.deepEqual([body.state, body.total, body.done], ['running', 1, 0]);
    for (let i = 0; i < 2; i++) assert.equal((await app.delete(`${PATH}/${body.id}`)).status, 204);
    const { state } = await finished(app, body.id);
    assert.equal(state, 'canceled');
    const { contactImports } = sb().store;
    assert.deepEqual(await contactImports.claim('node', 10, Date.now()), []);
    const key = { applicationId: application.id, id: body.id };
    const { hasMore } = await contactImports.runBatch(key, 'node', Date.now());
    assert.equal(hasMore, false);
    assert.deepEqual(await contactsOf(app), []);
  });

  it('the imports of an application run one after the other, and only some may wait', async () => {
    const { application, app } = await sb().application();
    const ids: number[] = [];
    for (let i = 0; i < 10; i++) ids.push((await send(app, `external_id\n${i}\n`)).body.id);
    const { status, body } = await send(app, 'external_id\nx\n');
    assert.deepEqual([status, body.code], [409, 'too_many_imports']);
    const { contactImports } = sb().store;
    for (const id of ids) {
      const claimed = await contactImports.claim('node', 10, Date.now());
      assert.deepEqual(claimed, [{ applicationId: application.id, id }]);
      await contactImports.runBatch({ applicationId: application.id, id }, 'node', Date.now());
    }
    assert.deepEqual(await contactImports.claim('node', 10, Date.now()), []);
    assert.equal((await contactsOf(app)).length, 10);
  });

  it('a row whose address a concurrent request takes is reported', async () => {
    const { application, app } = await sb().application();
    const { body } = await send(app, 'external_id,sms\na,+15558675310\n');
    const address = { channel: 'sms', address: '+15558675310' };
    await app.post('/1/contacts', { external_id: 'b', addresses: [address] });
    const { contactImports } = sb().store;
    await contactImports.claim('node', 10, Date.now());
    const key = { applicationId: application.id, id: body.id };
    await contactImports.runBatch(key, 'node', Date.now());
    assert.equal((await finished(app, body.id)).failed, 1);
    const { body: errors } = await app.get(`${PATH}/${body.id}/errors`);
    assert.equal(errors.data[0].line, 2);
    assert.equal((await contactsOf(app)).length, 1);
  });
});
