import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { matrix } from '../../../src/channels/matrix/channel.ts';
import { ADA, BOB, ROOM, SELF, TOKEN, matrixError } from '../../emulators/matrix/api.ts';
import { type Homeserver, openHomeserver } from '../../emulators/matrix/sync.ts';
import { until } from '../../support/until.ts';
import { kindsOf, listenTo, withoutKeys } from '../listening.ts';
import { assertOutcome, openContext } from '../suite.ts';

const ada = { id: ADA, name: 'Ada' };
const group = { id: ROOM };

function open(server: Homeserver, token = TOKEN) {
  return openContext({
    credentials: { address: server.url, token, username: SELF },
    url: '',
  });
}

const says = (content: object, sender = ADA) => ({ type: 'm.room.message', sender, content });
const text = (body: string, more = {}) => ({ msgtype: 'm.text', body, ...more });

/** Waits until the client polls for new events. */
async function isWaiting(server: Homeserver): Promise<void> {
  await until('the client polls', () => server.seen.at(-1)?.path.includes('timeout=30000'));
}

describe('matrix sync', () => {
  it('receives every kind of message from its start on, except its own', async () => {
    await using server = await openHomeserver([ROOM]);
    server.addEvent(ROOM, says(text('Before it listened')));
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    await isWaiting(server);
    const html = { format: 'org.matrix.custom.html', formatted_body: '<b>Good</b> morning' };
    const first = server.addEvent(ROOM, says(text('Good morning', html)));
    server.addEvent(ROOM, says(text('It is me'), SELF));
    const quote = { 'm.in_reply_to': { event_id: first } };
    server.addEvent(
      ROOM,
      says(text(`> <${BOB}> Good\n> more\n\nTo you`, { 'm.relates_to': quote })),
    );
    const old = {
      format: 'org.matrix.custom.html',
      formatted_body: '<mx-reply><blockquote>Good</blockquote></mx-reply>To <i>you</i>',
    };
    server.addEvent(ROOM, says(text('> …', { ...old, 'm.relates_to': quote }), BOB));
    server.addEvent(
      ROOM,
      says(
        text('In a thread', {
          'm.relates_to': {
            rel_type: 'm.thread',
            event_id: first,
            is_falling_back: true,
            'm.in_reply_to': { event_id: '$other' },
          },
        }),
      ),
    );
    server.addEvent(ROOM, says({ msgtype: 'm.emote', body: 'waves' }));
    server.addEvent(ROOM, says({ msgtype: 'm.notice', body: 'from a program' }));
    server.addEvent(
      ROOM,
      says({
        msgtype: 'm.image',
        body: 'A cat',
        filename: 'cat.png',
        url: 'mxc://example.org/abc_1-2',
        info: { mimetype: 'image/png' },
      }),
    );
    server.addEvent(
      ROOM,
      says({ msgtype: 'm.file', body: 'a.pdf', url: 'mxc://b.example:8448/x' }),
    );
    server.addEvent(ROOM, says({ msgtype: 'm.file', body: 'evil', url: 'https://example.net/a' }));
    const geo_uri = 'geo:48.2082,-16.3738;u=35';
    server.addEvent(ROOM, says({ msgtype: 'm.location', body: 'Here', geo_uri }));
    server.addEvent(ROOM, {
      type: 'm.sticker',
      sender: ADA,
      content: { body: 'Hug', url: 'mxc://example.org/hug', info: { mimetype: 'image/webp' } },
    });
    server.addEvent(ROOM, { type: 'm.reaction', sender: ADA, content: {} });
    await listener.waitFor(9);
    const messageEvent = (number: number, more: object, from: object = ada) => ({
      what: 'message',
      at: 1_000_000 + number,
      from,
      group,
      id: `${ROOM}/$event-${number}`,
      ...more,
    });
    assert.deepEqual(withoutKeys(listener.inboundEvents), [
      messageEvent(2, { text: '<b>Good</b> morning', mediaType: 'text/html' }),
      messageEvent(4, { text: 'To you', replyTo: `${ROOM}/$event-2` }),
      messageEvent(
        5,
        { text: 'To <i>you</i>', mediaType: 'text/html', replyTo: `${ROOM}/$event-2` },
        { id: BOB },
      ),
      messageEvent(6, { text: 'In a thread', thread: `${ROOM}/$event-2` }),
      messageEvent(7, { text: '/me waves' }),
      messageEvent(9, {
        media: [
          {
            type: 'Image',
            reference: 'mxc://example.org/abc_1-2',
            mediaType: 'image/png',
            name: 'cat.png',
            caption: 'A cat',
          },
        ],
      }),
      messageEvent(10, {
        media: [{ type: 'Document', reference: 'mxc://b.example:8448/x', name: 'a.pdf' }],
      }),
      messageEvent(12, { place: { latitude: 48.2082, longitude: -16.3738, name: 'Here' } }),
      messageEvent(13, {
        media: [
          {
            type: 'Image',
            reference: 'mxc://example.org/hug',
            mediaType: 'image/webp',
            caption: 'Hug',
          },
        ],
      }),
    ]);
    server.addEvent(ROOM, {
      ...says({ algorithm: 'm.megolm.v1.aes-sha2' }),
      type: 'm.room.encrypted',
    });
    const expected = ['m.room.message m.notice: bot', 'm.room.encrypted: no_content'];
    await until('the ignored event is recorded', () =>
      expected.every((kind) => kindsOf(listener.ignored).includes(kind)),
    );
  });

  it('receives edits, deletions, joins and leaves', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    await isWaiting(server);
    const first = server.addEvent(ROOM, says(text('Good mornign')));
    const edit = (body: string) =>
      says({
        ...text(`* ${body}`),
        'm.new_content': text(body),
        'm.relates_to': { rel_type: 'm.replace', event_id: first },
      });
    server.addEvent(ROOM, edit('Good morning'));
    server.addEvent(ROOM, edit('Good evening'));
    server.addEvent(ROOM, { type: 'm.room.redaction', sender: ADA, redacts: first, content: {} });
    server.addEvent(ROOM, { type: 'm.room.redaction', sender: ADA, content: { redacts: '$v11' } });
    const membershipEvent = (user: string, membership: string, before?: string) =>
      server.addEvent(ROOM, {
        type: 'm.room.member',
        sender: BOB,
        state_key: user,
        content: { membership, displayname: 'Bobby' },
        ...(before !== undefined && { unsigned: { prev_content: { membership: before } } }),
      });
    membershipEvent(BOB, 'invite');
    membershipEvent(BOB, 'join', 'invite');
    // A display name change is not a join.
    membershipEvent(BOB, 'join', 'join');
    membershipEvent(BOB, 'ban', 'join');
    await listener.waitFor(7);
    const bob = { id: BOB, name: 'Bobby' };
    const id = `${ROOM}/${first}`;
    assert.partialDeepStrictEqual(listener.inboundEvents, [
      { what: 'message', id, text: 'Good mornign' },
      { what: 'edit', id, text: 'Good morning', from: ada, group },
      { what: 'edit', id, text: 'Good evening' },
      { what: 'deletion', id, from: ada, group },
      { what: 'deletion', id: `${ROOM}/$v11` },
      { what: 'join', from: bob, group },
      { what: 'leave', from: bob, group },
    ]);
    assert.equal(listener.inboundEvents.length, 7);
  });

  it('accepts invitations and receives the messages sent with them', async () => {
    await using server = await openHomeserver([]);
    const [dm, group2] = ['!dm:example.org', '!group:example.org'];
    server.addEvent(dm, says(text('Long before')));
    server.invites(dm, ADA, true);
    server.addEvent(dm, says(text('Hello?')));
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    const [first] = await listener.waitFor(1);
    assert.partialDeepStrictEqual(first, { text: 'Hello?', from: ada });
    assert.ok(first && !('group' in first) && !('answerTo' in first), 'the room is a direct chat');
    await isWaiting(server);
    server.invites(group2, ADA, false);
    await until('the client has joined', () =>
      server.seen.some(({ path }) => path.includes('join/!group')),
    );
    await isWaiting(server);
    server.addEvent(group2, says(text('Welcome')));
    await listener.waitFor(2);
    assert.partialDeepStrictEqual(listener.inboundEvents[1], {
      text: 'Welcome',
      group: { id: group2 },
    });
    const noted = server.seen.find(
      ({ method, path }) => method === 'PUT' && /m\.direct/.test(path),
    );
    assert.deepEqual(noted?.json, { [ADA]: [dm] });
    // A second room with the same user: replies belong there.
    const other = '!dm2:example.org';
    server.invites(other, ADA, true);
    server.addEvent(other, says(text('Here, too')));
    await listener.waitFor(3);
    assert.partialDeepStrictEqual(listener.inboundEvents[2], {
      text: 'Here, too',
      answerTo: other,
    });
  });

  it('receives read receipts in a direct chat', async () => {
    await using server = await openHomeserver([ROOM]);
    const dm = '!dm:example.org';
    server.invites(dm, ADA, true);
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    await until('the client has joined', () =>
      server.seen.some(({ path }) => path.includes('join/!dm')),
    );
    await isWaiting(server);
    server.reads(ROOM, ADA, '$in-a-group');
    server.reads(dm, BOB, '$of-another');
    server.reads(dm, ADA, '$long-ago');
    await listener.waitFor(1);
    const event = server.addEvent(dm, says(text('It is me'), SELF));
    server.reads(dm, ADA, event);
    await listener.waitFor(4);
    const upTo = 1_000_000 + Number(event.replace('$event-', ''));
    assert.deepEqual(listener.inboundEvents, [
      { what: 'receipt', id: `${dm}/$long-ago`, state: 'read' },
      { what: 'receipt', id: `${dm}/${event}`, state: 'read' },
      { what: 'receipts', recipient: dm, upTo, state: 'read' },
      { what: 'receipts', recipient: ADA, upTo, state: 'read' },
    ]);
  });

  it('resumes from the cursor and receives the missed events', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server);
    const before = listenTo(matrix, context);
    await isWaiting(server);
    server.addEvent(ROOM, says(text('One')));
    await before.waitFor(1);
    before.end();
    await before.ended;
    const texts = Array.from({ length: 180 }, (_, at) => `Number ${at}`);
    for (const each of texts) server.addEvent(ROOM, says(text(each)));
    await using listener = listenTo(matrix, context, before.cursor);
    await listener.waitFor(texts.length);
    assert.deepEqual(
      listener.inboundEvents.map((inboundEvent) => 'text' in inboundEvent && inboundEvent.text),
      texts,
    );
  });

  it('receives messages after one with content that the API refuses', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    await isWaiting(server);
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    const proto = JSON.parse('{"__proto__":{}}') as object;
    const contents = [text('a\0b'), text('deep', nested(40)), text('proto', proto), text('last')];
    for (const content of contents) server.addEvent(ROOM, says(content));
    await listener.waitFor(contents.length);
    assert.deepEqual(
      listener.inboundEvents.map((one) => 'text' in one && one.text),
      ['a\uFFFDb', 'deep', 'proto', 'last'],
    );
  });

  it('receives a response of a megabyte', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server);
    await using listener = listenTo(matrix, context);
    await isWaiting(server);
    const texts = Array.from({ length: 20 }, (_, i) => `${i}`.repeat(30_000));
    for (const each of texts) server.addEvent(ROOM, says(text(each)));
    await listener.waitFor(texts.length);
    const limits = server.seen.flatMap(({ path }) => /%22limit%22%3A(\d+)/.exec(path)?.[1] ?? []);
    assert.equal(limits.at(-1), '50');
  });

  for (const [what, body] of [
    ['is too large', `{"next_batch":"${'x'.repeat(9 * 1024 * 1024)}"}`],
    ['has too many values', `{"next_batch":"s1_0","a":[${'0,'.repeat(200_000)}0]}`],
  ] as const) {
    it(`requests fewer events when the response ${what}`, async () => {
      await using server = await openHomeserver([ROOM]);
      await using context = open(server);
      await using listener = listenTo(matrix, context);
      await isWaiting(server);
      server.next({ status: 200, body });
      server.addEvent(ROOM, says(text('One')));
      await listener.waitFor(1);
      server.addEvent(ROOM, says(text('Two')));
      await listener.waitFor(2);
      const limits = server.seen.flatMap(({ path }) => /%22limit%22%3A(\d+)/.exec(path)?.[1] ?? []);
      assert.equal(limits.at(-1), '10');
    });
  }

  it('starts anew when the homeserver does not know the cursor', async () => {
    await using server = await openHomeserver([ROOM]);
    server.forget();
    await using context = open(server);
    await using listener = listenTo(matrix, context, 's1_7');
    await until('the client polls', () => listener.cursor === 's2_0');
    await isWaiting(server);
    server.addEvent(ROOM, says(text('One')));
    await listener.waitFor(1);
  });

  it('reports why it cannot listen', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server, 'fake-and-wrong');
    await using listener = listenTo(matrix, context);
    assertOutcome((await listener.ended) ?? { outcome: 'sent' }, {
      outcome: 'permanent',
      blame: 'credentials',
      code: 'M_UNKNOWN_TOKEN',
    });
    await using limited = open(server);
    server.next('none');
    server.next(matrixError(429, 'M_LIMIT_EXCEEDED', '', { retry_after_ms: 2000 }));
    assertOutcome((await listenTo(matrix, limited).ended) ?? { outcome: 'sent' }, {
      outcome: 'limited',
      scope: 'integration',
      seconds: 2,
      code: 'M_LIMIT_EXCEEDED',
    });
  });
});

describe('matrix', () => {
  it('downloads files from its own homeserver only', async () => {
    await using server = await openHomeserver([ROOM]);
    await using context = open(server);
    assert.deepEqual(await matrix.media?.('mxc://b.example:8448/abc_1', context), {
      url: `${server.url}/_matrix/client/v1/media/download/b.example%3A8448/abc_1`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    for (const reference of [
      'https://b.example/abc',
      'mxc://b.example/../x',
      'mxc://../config',
      'mxc://b/a/b',
    ]) {
      const found = await matrix.media?.(reference, context);
      assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content' });
    }
  });
});
