import assert from 'node:assert/strict';
import { it } from 'node:test';

import { JSON_TYPES } from '../../src/http/server/body.ts';
import { integrate, message } from '../support/service/activity.ts';
import type { Reply } from '../support/service/client.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const pointers = ({ body }: Reply) =>
  body.errors?.map((error: { pointer: string }) => error.pointer);

onEachEngine('invalid input', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    await integrate(app, application.id);
    const send = (raw: string | Uint8Array, type = 'application/json') =>
      app.post('/1/message', undefined, { raw, headers: { 'content-type': type } });
    return { application, app, send };
  };
  /** A message body with changes inside or beside its content. */
  const withContent = (content: string) => JSON.stringify(message()).replace('"Hello"', content);

  it('invalid input that is not JSON is refused with 400 under every JSON media type', async () => {
    const { app, send } = await make();
    for (const type of JSON_TYPES) {
      for (const raw of [
        '{',
        'hello',
        '{"message":}',
        "{'message':1}",
        '{"message":1,}',
        '\uFEFF{}',
        'NaN',
        '[1',
        '{} {}',
        ' ',
      ]) {
        const reply = await send(raw, type);
        assert.deepEqual([reply.status, reply.body.code], [400, 'invalid_json'], `${type} ${raw}`);
      }
    }
    assert.equal((await app.get('/1/messages')).body.data.length, 0, 'nothing changed');
  });

  it('invalid input that is empty is refused with 400', async () => {
    const { app } = await make();
    for (const headers of [{ 'content-type': 'application/json' }, {}]) {
      const reply = await app.request('POST', '/1/message', { headers });
      assert.deepEqual([reply.status, reply.body.code], [400, 'empty_body']);
    }
  });

  it('invalid input of another shape is refused with 422 and a pointer', async () => {
    const { send } = await make();
    for (const [raw, pointer] of [
      ['[]', ''],
      ['null', ''],
      ['"text"', ''],
      ['7', ''],
      ['{}', '/message'],
      ['{"message":[]}', '/message'],
      ['{"message":null}', '/message'],
    ] as const) {
      const reply = await send(raw);
      assert.equal(reply.status, 422, raw);
      assert.deepEqual(pointers(reply), [pointer], raw);
    }
  });

  it('invalid input with a duplicate key is refused with a pointer, at any depth', async () => {
    const { send } = await make();
    const twice = await send('{"message":1,"message":2}');
    assert.deepEqual([twice.status, pointers(twice)], [400, ['/message']]);
    const nested = await send(withContent('"Hello","content":"Bye"'));
    assert.deepEqual([nested.status, pointers(nested)], [400, ['/message/object/content']]);
    const escaped = await send('{"a":{"b":1,"\\u0062":2}}');
    assert.deepEqual([escaped.status, pointers(escaped)], [400, ['/a/b']]);
  });

  it('invalid input with __proto__ is refused with a pointer, and constructor is an ordinary key', async () => {
    const { send } = await make();
    for (const key of ['__proto__', '__pr\\u006fto__']) {
      const reply = await send(withContent(`"Hello","x":{"${key}":{"admin":true}}`));
      assert.deepEqual([reply.status, pointers(reply)], [400, ['/message/object/x/__proto__']]);
    }
    assert.equal((await send(withContent('"Hello","constructor":{"prototype":1}'))).status, 202);
  });

  it('JSON nested too deeply is refused', async () => {
    const { send } = await make();
    const nest = (depth: number) =>
      withContent(`"Hello","x":${'['.repeat(depth)}${']'.repeat(depth)}`);
    assert.equal((await send(nest(29))).status, 202);
    assert.equal((await send(nest(30))).status, 400);
    const hostile = await send('['.repeat(250_000));
    assert.deepEqual([hostile.status, hostile.body.code], [400, 'invalid_json']);
  });

  it('invalid input with NUL or a lone surrogate is refused with a pointer', async () => {
    const { send } = await make();
    for (const text of ['"a\\u0000b"', '"\\ud83d"', '"\\udc00x"']) {
      const reply = await send(withContent(text));
      assert.deepEqual([reply.status, pointers(reply)], [422, ['/message/object/content']], text);
    }
    assert.equal((await send(withContent('"\\ud83d\\ude00"'))).status, 202);
    assert.equal((await send(withContent('"Hello","a\\u0000":1'))).status, 422);
  });

  it('invalid input that is not UTF-8 is refused', async () => {
    const { send } = await make();
    const bytes = Buffer.from(withContent('"Hello?"'));
    bytes[bytes.indexOf('?')] = 0xff;
    assert.equal((await send(bytes)).status, 400);
    assert.equal((await send(Buffer.from(withContent('"x"'), 'utf16le'))).status, 400);
    const latin = await send(withContent('"x"'), 'application/json; charset=iso-8859-1');
    assert.deepEqual([latin.status, latin.body.code], [415, 'unsupported_media_type']);
  });

  it('a body of 256 KiB is accepted and one byte more is refused with 413, under every JSON media type', async () => {
    const { send } = await make();
    const sized = (size: number) => {
      const rest = withContent('""').length;
      return withContent(JSON.stringify('x'.repeat(size - rest)));
    };
    for (const type of JSON_TYPES) {
      assert.equal((await send(sized(256 * 1024), type)).status, 202);
      const reply = await send(sized(256 * 1024 + 1), type);
      assert.deepEqual([reply.status, reply.body.code], [413, 'body_too_large']);
    }
  });

  it('invalid input of an unknown media type is refused with 415', async () => {
    const { send, app, application } = await make();
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'json',
      'application/jsonp',
    ]) {
      const reply = await send('{}', type);
      assert.deepEqual([reply.status, reply.body.code], [415, 'unsupported_media_type'], type);
    }
    const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    assert.equal(
      (await app.post('/1/message', undefined, { raw: '{}', headers: zipped })).status,
      415,
    );
    const remove = await app.delete('/1/integrations/1', {
      raw: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(remove.status, 415);
    assert.ok(application.id);
  });

  it('a request on an unknown path gets 404, and with an unknown method 405 with Allow', async () => {
    const { api } = sb();
    for (const path of [
      '/',
      '/1',
      '/2/applications',
      '/1/application',
      '/1/applications/1/2/3',
      '/1//applications',
      '/%2e%2e/etc',
      '/1/users/me/x',
    ]) {
      if (path !== '/') assert.equal((await api.get(path)).status, 404, path);
    }
    const cases: [string, string, string][] = [
      ['PATCH', '/1/applications', 'POST, GET, HEAD'],
      ['DELETE', '/1/applications/', 'POST, GET, HEAD'],
      ['POST', '/1/applications/5', 'GET, HEAD, PUT, DELETE'],
      ['GET', '/1/message', 'POST'],
      ['PUT', '/1/message/', 'POST'],
      ['OPTIONS', '/1/users/me', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      const reply = await api.request(method, path);
      assert.equal(reply.status, 405, `${method} ${path}`);
      assert.deepEqual(
        reply.headers.get('allow')?.split(', ').toSorted(),
        allow.split(', ').toSorted(),
      );
    }
  });

  it('invalid input of the wrong type, out of range, empty or too long is refused field by field and changes nothing', async () => {
    const { api, team, owner } = sb();
    const good = { team_id: team.id, owner_id: owner.id, state: 'enable' };
    const before = (await api.get('/1/applications?limit=1')).body.data[0]?.id;
    const long = 'x'.repeat(100_000);
    const cases: [Record<string, unknown>, string[]][] = [
      [{ name: 5 }, ['/name']],
      [{ name: ['sixsix'] }, ['/name']],
      [{ name: long }, ['/name']],
      [{ state: 'ENABLE' }, ['/state']],
      [{ state: '' }, ['/state']],
      [{ state: true }, ['/state']],
      [{ state: long }, ['/state']],
      [{ webhook_url: `https://example.com/${long}` }, ['/webhook_url']],
      [{ team_id: 1.5 }, ['/team_id']],
      [{ team_id: '' }, ['/team_id']],
      [{ team_id: {} }, ['/team_id']],
      [{ team_id: long }, ['/team_id']],
      [{ name: '', state: 1, team_id: null }, ['/name', '/state', '/team_id']],
    ];
    for (const [change, wanted] of cases) {
      const reply = await api.post('/1/applications', { ...good, ...change });
      assert.equal(reply.status, 422, JSON.stringify(change).slice(0, 80));
      assert.deepEqual(pointers(reply).toSorted(), wanted);
      assert.ok(reply.text.length < 4000, 'the response does not repeat the input');
    }
    assert.equal((await api.get('/1/applications?limit=1')).body.data[0]?.id, before);
  });

  it('invalid input in credentials is refused: empty, too long, of the wrong type', async () => {
    const { application, app } = await make();
    const creation = { application_id: application.id, name: 'slack', state: 'enable' };
    for (const token of ['', 5, {}, [], true, 'x'.repeat(100_000)]) {
      const reply = await app.post('/1/integrations', { ...creation, token });
      assert.deepEqual([reply.status, pointers(reply)], [422, ['/token']]);
    }
  });
});

onEachEngine('NUL in URLs', (sb) => {
  it('a NUL in a query or a path is never a 5xx', async () => {
    const { application, app } = await sb().application();
    const { id } = await integrate(app, application.id, { mode: 'sandbox' });
    const idOf = (path: string) => (path.startsWith('/1/applications/') ? application.id : id);
    for (const { method, path, query = [] } of sb().service.routes) {
      if (method !== 'GET' || path === '/1/realtime') continue;
      const place = path.replace(':id', String(idOf(path))).replaceAll(/:\w+/g, '%00');
      const searches = [{ name: 'x' }, ...query].map(({ name }) => `?${name}=%00`);
      for (const client of [app, sb().api]) {
        for (const search of searches) {
          const { status } = await client.request('GET', place + search);
          assert.ok(status < 500, `${place}${search}: ${status}`);
        }
      }
    }
  });
});
