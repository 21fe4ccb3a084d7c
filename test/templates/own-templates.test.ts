import assert from 'node:assert/strict';
import { it } from 'node:test';

import { integrate, message } from '../support/service/activity.ts';
import { onEachEngine } from '../support/store/each-engine.ts';

const CONTENTS = {
  en: { content: 'Hi **{{ name }}**, order {{ number }}', mediaType: 'text/markdown' },
  pt: { content: 'Oi {{ name }}, pedido {{ number }}' },
};

onEachEngine('templates of an application', (sb) => {
  const make = async () => {
    const { application, app } = await sb().application();
    const webhook = { name: 'webhook', token: undefined, address: 'https://hook.example.org/in' };
    await integrate(app, application.id, webhook);
    const create = (fields: Record<string, unknown> = {}) =>
      app.post('/1/templates', {
        name: 'order',
        default_language: 'en',
        contents: CONTENTS,
        ...fields,
      });
    return { app, create };
  };

  it('templates of an application are created, listed, changed as new versions, and deleted', async () => {
    const { app, create } = await make();
    const { status, body, headers } = await create();
    assert.equal(status, 201);
    assert.equal(headers.get('location'), `/1/templates/${body.id}`);
    assert.deepEqual([body.name, body.version, body.contents], ['order', 1, CONTENTS]);
    assert.equal((await create()).body.code, 'name_taken');
    const path = `/1/templates/${body.id}`;
    const next = { default_language: 'en', contents: { en: { content: 'Second' } } };
    assert.equal((await app.put(path, next)).status, 204);
    const { body: shown } = await app.get(path);
    assert.deepEqual([shown.version, shown.contents.en.content], [2, 'Second']);
    assert.deepEqual(
      shown.versions.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    const { body: first } = await app.get(`${path}?version=1`);
    assert.deepEqual([first.version, first.contents], [1, CONTENTS]);
    for (const version of ['0', '3', '1.5', 'x', '99999999999999999999']) {
      assert.equal((await app.get(`${path}?version=${version}`)).status, 404, version);
    }
    const { body: list } = await app.get('/1/templates');
    assert.deepEqual(
      list.data.map(({ name, version }: Record<string, unknown>) => [name, version]),
      [['order', 2]],
    );
    assert.equal((await app.delete(path)).status, 204);
    assert.equal((await app.get(path)).status, 404);
    assert.equal((await create()).status, 201, 'the name is free again');
  });

  for (const [what, fields, pointer] of [
    [
      'Liquid that cannot be parsed',
      { contents: { en: { content: '{% if %}' } } },
      '/contents/en/content',
    ],
    [
      'an unknown filter',
      { contents: { en: { content: '{{ a | shout }}' } } },
      '/contents/en/content',
    ],
    ['a default language without content', { default_language: 'de' }, '/default_language'],
    ['an invalid name', { name: 'with space' }, '/name'],
  ] as const) {
    it(`${what} is refused`, async () => {
      const { app, create } = await make();
      const { status, body } = await create(fields);
      assert.deepEqual([status, body.code], [422, 'invalid_fields']);
      assert.equal(body.errors[0].pointer, pointer);
      assert.deepEqual((await app.get('/1/templates')).body.data, []);
    });
  }

  it('a message is sent with the content in the best language', async () => {
    const { app, create } = await make();
    await create();
    const parameters = { name: '*Ada*', number: 7 };
    const send = async (language: string | undefined) => {
      const template = { name: 'order', ...(language && { language }), parameters };
      const request = { ...message({ object: { type: 'Note' } }), template };
      const { body } = await app.post('/1/message?dry_run=true', request);
      assert.equal(body.error, null);
      return [body.template.language, body.parts[0].content.object.content];
    };
    assert.deepEqual(await send('pt-BR'), ['pt', 'Oi *Ada*, pedido 7']);
    assert.deepEqual(await send('fr'), ['en', 'Hi **\\*Ada\\***, order 7']);
    assert.deepEqual(await send(undefined), ['en', 'Hi **\\*Ada\\***, order 7']);
  });

  it('an accepted message keeps its version of the template', async () => {
    const { app, create } = await make();
    const { body: template } = await create();
    const request = {
      ...message({ object: { type: 'Note' } }),
      template: { name: 'order', language: 'pt', parameters: { name: 'Ada', number: 7 } },
    };
    const { status, body } = await app.post('/1/message', request);
    assert.equal(status, 202);
    const contents = { pt: { content: 'Changed' } };
    await app.put(`/1/templates/${template.id}`, { default_language: 'pt', contents });
    const { body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.partialDeepStrictEqual(shown.template, { source: 'own', version: 1, language: 'pt' });
    assert.deepEqual(shown.message.object, { type: 'Note' }, 'the activity stays as written');
  });

  it('a missing parameter refuses the message', async () => {
    const { app, create } = await make();
    await create();
    const request = { ...message(), template: { name: 'order', parameters: { name: 'Ada' } } };
    const { status, body } = await app.post('/1/message', request);
    assert.deepEqual([status, body.code], [422, 'template_refused']);
    assert.equal(body.errors[0].pointer, '/template/parameters');
    const unknown = { ...message(), template: { name: 'nothing' } };
    assert.equal((await app.post('/1/message', unknown)).body.code, 'template_refused');
    const misspelled = { ...message(), outsideWindow: { name: 'order' } };
    assert.equal((await app.post('/1/message', misspelled)).body.code, 'invalid_fields');
  });

  it('the preview renders a template for every channel', async () => {
    const { app, create } = await make();
    const { body: template } = await create();
    const path = `/1/templates/${template.id}/preview`;
    const parameters = { name: '<Ada>', number: 7 };
    const { status, body } = await app.post(path, { parameters });
    assert.equal(status, 200);
    assert.equal(body.language, 'en');
    const { body: channels } = await app.get('/1/channels');
    assert.deepEqual(
      body.channels.map(({ channel }: { channel: string }) => channel).toSorted(),
      channels.data.map(({ name }: { name: string }) => name).toSorted(),
    );
    for (const { channel, parts } of body.channels) assert.ok(parts.length > 0, channel);
    const telegram = body.channels.find(
      ({ channel }: { channel: string }) => channel === 'telegram',
    );
    assert.match(JSON.stringify(telegram.parts), /<b>&lt;Ada&gt;<\/b>/);
    const one = await app.post(path, { parameters, channels: ['slack'], language: 'pt' });
    assert.deepEqual(
      [one.body.language, one.body.channels.map(({ channel }: { channel: string }) => channel)],
      ['pt', ['slack']],
    );
    assert.equal(
      (await app.post(path, { channels: ['nope'], parameters })).body.code,
      'unknown_channel',
    );
  });

  for (const [what, content] of [
    ['an endless loop', '{% for i in (1..1000000000) %}x{% endfor %}'],
    ['nested loops', '{% for i in (1..9000) %}{% for j in (1..9000) %}x{% endfor %}{% endfor %}'],
    [
      'a text that doubles',
      `{% assign a = 'xxxxxxxxxx' %}${'{% assign a = a | append: a %}'.repeat(60)}{{ a }}`,
    ],
    ['an included file', "{% include '/etc/passwd' %}"],
    ['a layout', "{% layout 'package.json' %}"],
    ['a prototype', '{{ name.constructor.constructor }}'],
  ] as const) {
    it(`${what} in a template is refused`, async () => {
      const { app, create } = await make();
      const { status, body: template } = await create({ contents: { en: { content } } });
      if (status === 422) return;
      const path = `/1/templates/${template.id}/preview`;
      const request = { parameters: { name: 'Ada' }, channels: ['telegram'] };
      const { status: previewed, body } = await app.post(path, request);
      assert.deepEqual([previewed, body.code], [422, 'template_refused']);
    });
  }

  const people = Array.from({ length: 2_000 }, (_, i) => ({ n: i }));
  // liquidjs compares its limits between tags only: on the main thread, nothing could stop these.
  for (const [what, content] of [
    ['a condition for each value', '{{ people | where_exp: "x", "people contains x.n" | size }}'],
    ['a long path to sort by', `{{ people | sort: "${'a.'.repeat(30_000)}a" | size }}`],
  ] as const) {
    it(`a filter with ${what} is stopped`, async () => {
      const { app, create } = await make();
      const { body: template } = await create({ contents: { en: { content } } });
      const repeated = Array.from({ length: 10 }, () => people).flat();
      const request = { parameters: { people: repeated }, channels: ['telegram'] };
      const { status, body } = await app.post(`/1/templates/${template.id}/preview`, request);
      assert.deepEqual([status, body.code], [422, 'template_refused']);
      const sent = { ...message(), template: { name: 'order', parameters: { people: repeated } } };
      const { body: refused } = await app.post('/1/message', sent);
      assert.deepEqual(
        [refused.code, refused.errors[0].pointer],
        ['template_refused', '/template/parameters'],
      );
    });
  }

  it('a button whose name renders to nothing refuses the message', async () => {
    const { app, create } = await make();
    const attachment = [{ type: 'Button', name: '{{ label }}', value: 'yes' }];
    const { body: template } = await create({ contents: { en: { content: 'Hi', attachment } } });
    const path = `/1/templates/${template.id}/preview`;
    const preview = (label: string) =>
      app.post(path, { parameters: { label }, channels: ['telegram'] });
    assert.equal((await preview('Yes')).status, 200);
    const { status, body } = await preview(' ');
    assert.deepEqual([status, body.code], [422, 'template_refused']);
  });

  it('templates of one application do not hold up those of others', async () => {
    const hostile = await make();
    const other = await make();
    const content = '{{ a | sort: "' + 'x.'.repeat(30_000) + 'x" | size }}';
    const { body: slow } = await hostile.create({ contents: { en: { content } } });
    const { body: quick } = await other.create({
      contents: { en: { content: '{{ a | upcase }}' } },
    });
    const finished: string[] = [];
    const slowly = Array.from({ length: 2 }, async () => {
      const request = { parameters: { a: people.concat(people, people) }, channels: ['telegram'] };
      await hostile.app.post(`/1/templates/${slow.id}/preview`, request);
      finished.push('slow');
    });
    const request = { parameters: { a: 'x' }, channels: ['telegram'] };
    const { status } = await other.app.post(`/1/templates/${quick.id}/preview`, request);
    finished.push('quick');
    await Promise.all(slowly);
    assert.equal(status, 200);
    assert.notEqual(finished.at(-1), 'quick');
  });

  it('integers beyond 2^53 are written digit by digit', async () => {
    const { app, create } = await make();
    const { body: template } = await create();
    const { message: activity } = message({ object: { type: 'Note' } });
    const raw = `{"message":${JSON.stringify(activity)},"template":{"name":"order","language":"pt","parameters":{"name":"Ada","number":12345678901234567890}}}`;
    const { body: dry } = await app.request('POST', '/1/message?dry_run=true', { raw });
    assert.equal(dry.parts[0].content.object.content, 'Oi Ada, pedido 12345678901234567890');
    const { status, body } = await app.request('POST', '/1/message', { raw });
    assert.equal(status, 202);
    const { body: shown } = await app.get(`/1/messages/${body.id}`);
    assert.equal(shown.template.name, 'order');
    const preview = `/1/templates/${template.id}/preview`;
    const parameters = { name: 'Ada', number: 7 };
    const json = JSON.stringify({ parameters, language: 'pt', channels: ['webhook'] });
    const { body: previewed } = await app.request('POST', preview, {
      raw: json.replace(':7', ':12345678901234567890'),
    });
    assert.equal(previewed.object.content, 'Oi Ada, pedido 12345678901234567890');
  });

  it('many texts that each take a while to render are refused', async () => {
    const { app, create } = await make();
    const slow = '{% for i in (1..40) %}{% for j in (1..40) %}{{ "" }}{% endfor %}{% endfor %}x';
    const button = { type: 'Button', name: slow, value: slow };
    const contents = { en: { content: 'x', attachment: Array.from({ length: 50 }, () => button) } };
    const { body: template } = await create({ contents });
    const path = `/1/templates/${template.id}/preview`;
    const { status, body } = await app.post(path, { channels: ['telegram'] });
    assert.deepEqual([status, body.code], [422, 'template_refused']);
  });

  it('a template of more than 64 KiB is refused', async () => {
    const { create } = await make();
    const { status } = await create({ contents: { en: { content: 'x'.repeat(70_000) } } });
    assert.equal(status, 413);
  });
});
