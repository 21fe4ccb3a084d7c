import assert from 'node:assert/strict';
import { it } from 'node:test';

import { feedOf } from '../support/service/feed.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const CSV = { 'content-type': 'text/csv' };
const NDJSON = { 'content-type': 'application/x-ndjson' };

onEachEngine('consents as files', (sb) => {
  async function make() {
    const { app } = await sb().application();
    return {
      app,
      load: (raw: string | Uint8Array, headers: Record<string, string> = CSV) =>
        app.post('/1/consents/import', undefined, { raw, headers }),
      save: async (format: string) => {
        const { text } = await app.get(`/1/consents/export?format=${format}`);
        return text;
      },
    };
  }

  it('an import stores good lines, and reports the others with their number', async () => {
    const { app, load } = await make();
    const { status, body } = await load(
      [
        'family,address,scope,state,evidence',
        'sms,15558675310,all,revoked,"letter, 3 May"',
        'sms,,all,revoked,',
        '"sms,open',
        'fax,1,all,revoked,',
        'sms,+15558675311,vendor,revoked,',
        'email,Ada@Example.com,marketing,granted,form 7',
      ].join('\r\n'),
    );
    assert.equal(status, 200);
    assert.deepEqual([body.imported, body.changed, body.failed], [2, 2, 4]);
    assert.deepEqual(
      body.errors.map(({ line }: { line: number }) => line),
      [3, 4, 5, 6],
    );
    const { body: list } = await app.get('/1/consents');
    assert.deepEqual(
      list.data
        .map((one: Record<string, string>) => [one.address, one.source, one.evidence])
        .toSorted(),
      [
        ['+15558675310', 'import', 'letter, 3 May'],
        ['ada@example.com', 'import', 'form 7'],
      ],
    );
    const types = (await feedOf(app)).map(({ type }) => type).toSorted();
    assert.deepEqual(types, ['consent.granted', 'consent.revoked']);
  });

  it('a line has the rules of a JSON body', async () => {
    const { app, load } = await make();
    const consent = '"family":"email","address":"ada@example.com"';
    const lines = [
      `{${consent},"state":"revoked","state":"granted"}`,
      `{${consent},"state":"granted","__proto__":{}}`,
      `{${consent},"state":"granted","evidence":"\\ud800"}`,
      `{${consent},"state":"granted","other":${'['.repeat(40)}${']'.repeat(40)}}`,
      `{${consent},"state":"revoked"}`,
    ];
    const { body } = await load(lines.join('\n'), NDJSON);
    assert.deepEqual([body.imported, body.failed], [1, 4]);
    const { body: list } = await app.get('/1/consents');
    assert.deepEqual(
      list.data.map(({ state }: { state: string }) => state),
      ['revoked'],
    );
  });

  it('an exported text is no formula, and an import restores it', async () => {
    const [first, second] = [await make(), await make()];
    const texts = [
      '=1+1',
      '+1 by phone',
      '-1',
      '-SUM(1)',
      '@A1',
      '\t=2',
      "'=3",
      "it's",
      '+15558675310',
    ];
    for (const [i, evidence] of texts.entries()) {
      const consent = { family: 'sms', address: `+1555867531${i}`, state: 'revoked', evidence };
      assert.ok((await first.app.post('/1/consents', consent)).status < 300);
    }
    const csv = await first.save('csv');
    assert.doesNotMatch(csv, /(?:^|,)"(?:[=@\t]|[-+](?!\d+"))/m);
    assert.equal((await second.load(csv)).body.changed, texts.length);
    const { body } = await second.app.get('/1/consents');
    const read = body.data.map(({ evidence }: { evidence: string }) => evidence);
    assert.deepEqual(read.toSorted(), texts.toSorted());
  });

  it('an export can be imported, in both formats', async () => {
    const first = await make();
    const lines = Array.from({ length: 1_200 }, (_, i) => ({
      family: 'sms',
      address: `+1555${String(i).padStart(7, '0')}`,
      scope: i % 2 === 0 ? 'all' : 'marketing',
      state: i % 3 === 0 ? 'granted' : 'revoked',
      evidence: i % 5 === 0 ? 'said "no", twice\nand again' : `form ${i}`,
    }));
    const written = lines.map((line) => JSON.stringify(line)).join('\n');
    const { body } = await first.load(written, NDJSON);
    assert.deepEqual([body.imported, body.failed], [1_200, 0]);
    for (const [format, headers] of [
      ['csv', CSV],
      ['ndjson', NDJSON],
    ] as const) {
      const second = await make();
      const { body: copied } = await second.load(await first.save(format), headers);
      assert.deepEqual([copied.imported, copied.changed, copied.failed], [1_200, 1_200, 0]);
      const again = await second.load(await first.save(format), headers);
      assert.deepEqual([again.body.imported, again.body.changed], [1_200, 0]);
      const bare = (text: string) =>
        text.replaceAll(/"?(?:id|created_at|updated_at)"?:[^,}]*,?/g, '');
      if (format === 'ndjson') {
        const sources = (text: string) => bare(text).replaceAll('"source":"import",', '');
        assert.equal(sources(await second.save(format)), sources(await first.save(format)));
      }
    }
  });

  it('several lines about one address take effect in order', async () => {
    const { app, load } = await make();
    const line = (state: string) => JSON.stringify({ family: 'sms', address: '+15550001', state });
    const { body } = await load(
      [line('revoked'), line('granted'), line('revoked')].join('\n'),
      NDJSON,
    );
    assert.deepEqual([body.imported, body.changed], [3, 3]);
    const { body: list } = await app.get('/1/consents');
    assert.deepEqual(
      list.data.map(({ state }: { state: string }) => state),
      ['revoked'],
    );
    const { body: detail } = await app.get(`/1/consents/${list.data[0].id}`);
    assert.deepEqual(
      detail.history.map(({ state }: { state: string }) => state),
      ['revoked', 'granted', 'revoked'],
    );
  });

  it('a file that is no list of consents is refused and changes nothing', async () => {
    const { app, load } = await make();
    const good = 'sms,+15550001,revoked';
    const cases: [string | Uint8Array, Record<string, string>, number][] = [
      [`a,b,c\n${good}`, CSV, 422],
      [good, { 'content-type': 'application/json' }, 415],
      [new Uint8Array([0xff, 0xfe, 0x41]), CSV, 422],
      [`family,address,state\n${`${good}\n`.repeat(50_001)}`, CSV, 422],
      [`family,address,state\n${'x'.repeat(9 * 1024 * 1024)}`, CSV, 413],
    ];
    for (const [raw, headers, expected] of cases) {
      assert.equal((await load(raw, headers)).status, expected, String(raw).slice(0, 40));
    }
    const { body } = await load('\0\nnot json\n{"a":1}\n[]\n7\n', NDJSON);
    assert.deepEqual([body.imported, body.failed], [0, 5]);
    assert.deepEqual((await app.get('/1/consents')).body.data, []);
    assert.equal((await app.get('/1/consents/export?format=xml')).status, 422);
  });

  it('a repeated Idempotency-Key with another file is refused', async () => {
    const { load } = await make();
    const headers = { ...CSV, 'idempotency-key': 'one' };
    const file = (address: string) => `family,address,state\nsms,${address},revoked`;
    assert.equal((await load(file('+15550001'), headers)).body.changed, 1);
    assert.equal((await load(file('+15550001'), headers)).body.changed, 1);
    assert.equal((await load(file('+15550002'), headers)).body.code, 'idempotency_key_reused');
  });
});
