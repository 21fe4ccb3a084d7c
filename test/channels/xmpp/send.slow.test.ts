import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Element } from '@xmpp/client';

import type { Check, Outcome } from '../../../src/channels/channel.ts';
import { xmpp } from '../../../src/channels/xmpp/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import {
  PASSWORD,
  PROSODY,
  type Prosody,
  ROOMS,
  startProsody,
} from '../../emulators/real/prosody.ts';
import { makeCertificate } from '../../emulators/server/certificate.ts';
import { until } from '../../support/until.ts';
import { type TestMessage, assertOutcome, openContext, outgoing, resultOf } from '../suite.ts';

/* Against a real server; answers.test.ts covers replies that a real server does not give on demand. */

const BOB = 'bob@localhost';
const DEN = `den@${ROOMS}`;
let count = 0;

function open(server: Prosody, credentials: Credentials = {}) {
  const context = openContext({
    credentials: {
      address: server.address,
      username: 'bot@localhost',
      token: PASSWORD,
      ...credentials,
    },
    url: '',
  });
  const message = (recipient: string, given: Partial<TestMessage>) =>
    outgoing({ recipient, key: `key-${++count}`, ...given });
  return {
    context,
    send: (recipient: string, given: string | Partial<TestMessage>) =>
      resultOf(
        xmpp,
        'send',
        message(recipient, typeof given === 'string' ? { text: given } : given),
        undefined,
        context,
      ),
    edit: (recipient: string, id: string, text: string) =>
      resultOf(xmpp, 'edit', message(recipient, { text }), { id, recipient }, context),
    remove: (recipient: string, id = '') =>
      resultOf(xmpp, 'remove', message(recipient, {}), { id, recipient }, context),
    check: () => resultOf(xmpp, 'check', message(BOB, {}), undefined, context),
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  };
}

function sent(result: Outcome | Check): { id?: string } {
  assert.ok(result.outcome === 'sent', JSON.stringify(result));
  return result;
}

const RETRACTION = 'urn:xmpp:message-retract:1';
const retractedIn = (stanza: Element) => stanza.getChild('retract', RETRACTION)?.attrs['id'];
const isRetraction = (stanza: Element) => retractedIn(stanza) !== undefined;

describe('xmpp with a real server', { skip: PROSODY.skip }, () => {
  it('sends a text to a user and requests a receipt', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    assertOutcome(await link.send(BOB, { text: 'Good morning!', key: 'k-1' }), {
      outcome: 'sent',
      id: 'k-1',
    });
    assert.deepEqual(await bob.waitFor(1), ['bot@localhost Good morning!']);
    const message = await bob.sees('it', (stanza) => stanza.is('message'));
    assert.partialDeepStrictEqual(message.attrs, { id: 'k-1', type: 'chat' });
    assert.ok(message.getChild('request', 'urn:xmpp:receipts'));
    assert.ok(message.getChild('unstyled', 'urn:xmpp:styling:0'));
  });

  it('delivers every script, emoji and XML-like text unchanged', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    const texts = [
      'Emoji 👨‍👩‍👧‍👦 👍🏽 ❤️',
      'שלום עולם \u2067مرحبا\u2069',
      '</body></message></stream:stream>',
      '&lt;b&gt; &amp; ]]> "quotes" \'too\'',
      'one\ntwo\n\n  three\tfour',
      '*bold* _it_ `code` > quote',
    ];
    for (const text of texts) sent(await link.send(BOB, text));
    sent(await link.send(BOB, 'a\u0000b\u0008c\uFFFEd\uD800e'));
    assert.deepEqual(
      await bob.waitFor(texts.length + 1),
      [...texts, 'abcde'].map((text) => `bot@localhost ${text}`),
    );
  });

  it('delivers a long text complete and in order', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    const text = Array.from({ length: 3000 }, (_, i) => `word${i} & é`).join(' ');
    sent(await link.send(BOB, text));
    const original = () => bob.messages.map((part) => part.replace('bot@localhost ', ''));
    await until('all parts', () => original().join(' ') === text);
    assert.ok(original().length > 4 && original().every((part) => Buffer.byteLength(part) <= 8000));
  });

  it('joins a room once, sends to it and to one of its users', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    for (const text of ['One', 'Two']) sent(await link.send(DEN, text));
    sent(await link.send(`${DEN}/bob`, 'Psst'));
    assert.deepEqual(await bob.waitFor(3), ['bot One', 'bot Two', `${DEN} Psst`]);
    const joins = bob.stanzas.filter(
      (stanza) => stanza.is('presence') && stanza.attrs['from'] === `${DEN}/bot`,
    );
    assert.equal(joins.length, 1);
    const message = await bob.sees('it', (stanza) => stanza.attrs['type'] === 'groupchat');
    assert.ok(!message.getChild('request'), 'rooms send no receipts');
  });

  it('rejoins a room after being removed', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    sent(await link.send(DEN, 'One'));
    await bob.rule('den', { nick: 'bot', role: 'none' });
    // Whether or not the client has noticed by now.
    const first = await link.send(DEN, 'Two');
    if (first.outcome !== 'sent') {
      assert.partialDeepStrictEqual(first, { outcome: 'transient', maybeSent: false });
      sent(await link.send(DEN, 'Two'));
    }
    assert.deepEqual(await bob.waitFor(2), ['bot One', 'bot Two']);
  });

  it('uses another nick in a room when its own is in use', async () => {
    await using server = await startProsody(['bot', 'bob', 'eve']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    const eve = await server.visitor('eve');
    Object.defineProperty(eve, 'name', { value: 'bot' });
    await eve.join('den');
    sent(await link.send(DEN, 'It is me'));
    assert.deepEqual(await bob.waitFor(1), ['bot_ It is me']);
  });

  it('reports rooms that it may not join or write to', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    for (const room of ['closed', 'locked', 'moderated', 'banned']) await bob.join(room);
    await bob.configure('closed', { membersonly: '1' });
    await bob.configure('locked', { passwordprotectedroom: '1', roomsecret: 'not-a-secret' });
    await bob.configure('moderated', { moderatedroom: '1' });
    await bob.rule('banned', { jid: 'bot@localhost', affiliation: 'outcast' });
    for (const [room, code] of [
      ['closed', 'registration-required'],
      ['locked', 'not-authorized'],
      ['moderated', 'forbidden'],
      ['banned', 'forbidden'],
      ['missing', 'item-not-found'],
    ] as const) {
      assert.partialDeepStrictEqual(await link.send(`${room}@${ROOMS}`, 'Hello?'), {
        outcome: 'permanent',
        blame: 'recipient',
        code,
      });
    }
    await bob.join('open');
    sent(await link.send(`open@${ROOMS}`, 'Hello!'));
  });

  it('reports an absent recipient', async () => {
    await using server = await startProsody(['bot']);
    await using link = open(server);
    for (const recipient of ['nobody@localhost', 'bob@elsewhere.example']) {
      const result = await link.send(recipient, 'Hello?');
      assert.partialDeepStrictEqual(result, { outcome: 'permanent', blame: 'recipient' });
    }
  });

  it('edits a message as often as asked', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    for (const recipient of [BOB, DEN]) {
      sent(await link.send(recipient, { text: 'Frist', key: 'k-1' }));
      for (const text of ['Second', 'Third']) {
        assertOutcome(await link.edit(recipient, 'k-1', text), { outcome: 'sent', id: 'k-1' });
      }
    }
    await bob.waitFor(6);
    const replaced = bob.stanzas.map((stanza) => stanza.getChild('replace')?.attrs['id']);
    assert.equal(replaced.filter((id) => id === 'k-1').length, 4);
    const ids = bob.stanzas
      .filter((stanza) => stanza.getChild('replace'))
      .map(({ attrs }) => attrs['id']);
    assert.equal(new Set(ids).size, 4);
  });

  it('retracts a direct message by its own id', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    const { id } = sent(await link.send(BOB, 'Wrong'));
    assertOutcome(await link.remove(BOB, id), { outcome: 'sent' });
    const retraction = await bob.sees('the retraction', isRetraction);
    assert.equal(retractedIn(retraction), id);
    const original = bob.stanzas.find((stanza) => stanza.is('message'));
    assert.equal(original?.attrs['id'], id);
    assert.notEqual(retraction.attrs['id'], id);
    const fallback = retraction.getChild('fallback', 'urn:xmpp:fallback:0');
    assert.equal(fallback?.attrs['for'], RETRACTION);
    assert.match(retraction.getChild('body')?.text() ?? '', /^\/me /);
    assert.ok(retraction.getChild('store', 'urn:xmpp:hints'), 'is stored for offline users');
  });

  it('retracts, edits and replies to room messages by the right ids', async () => {
    const rooms = ['modules_enabled = { "muc_mam" }'];
    await using server = await startProsody(['bot', 'bob'], { rooms });
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    const { id = '' } = sent(await link.send(DEN, { text: 'Wrong', key: 'k-1' }));
    sent(await link.edit(DEN, id, 'Right'));
    sent(await link.send(DEN, { text: 'Really', object: { inReplyTo: id } }));
    sent(await link.remove(DEN, id));
    const retraction = await bob.sees('the retraction', isRetraction);
    const [original, change, answer] = bob.stanzas.filter(
      (stanza) => stanza.is('message') && stanza.getChild('body'),
    );
    const given = original?.getChild('stanza-id', 'urn:xmpp:sid:0')?.attrs;
    assert.equal(given?.['by'], DEN);
    assert.equal(retractedIn(retraction), given?.['id']);
    assert.equal(retraction.attrs['type'], 'groupchat');
    assert.equal(change?.getChild('replace')?.attrs['id'], 'k-1');
    assert.equal(answer?.getChild('reply')?.attrs['id'], given?.['id']);
  });

  it('retracts a message by its own id in a room without stanza ids', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const bob = await server.visitor('bob');
    await bob.join('den');
    const { id } = sent(await link.send(DEN, { text: 'Wrong', key: 'k-1' }));
    assert.equal(id, 'k-1');
    sent(await link.remove(DEN, id));
    const retraction = await bob.sees('the retraction', isRetraction);
    assert.equal(retractedIn(retraction), 'k-1');
    const original = bob.stanzas.find((stanza) => stanza.attrs['id'] === 'k-1');
    assert.equal(original?.getChild('origin-id', 'urn:xmpp:sid:0')?.attrs['id'], 'k-1');
  });

  it('requires the right password over every negotiated mechanism', async () => {
    const certificate = makeCertificate('localhost');
    for (const [hash, disabled] of [
      ['SHA-1', ''],
      ['SHA-256', ''],
      ['SHA-1', '"SCRAM-SHA-1", "SCRAM-SHA-256"'],
    ] as const) {
      for (const secure of [true, false]) {
        await using server = await startProsody(['bot', 'bob'], {
          lines: [`password_hash = "${hash}"`, `disable_sasl_mechanisms = { ${disabled} }`],
          ...(secure && { certificate }),
        });
        await using wrong = open(server, { token: 'not-a-secret-and-wrong' });
        assert.partialDeepStrictEqual(await wrong.send(BOB, 'Hello?'), {
          outcome: 'permanent',
          blame: 'credentials',
          code: 'not-authorized',
        });
        await using link = open(server);
        sent(await link.send(BOB, 'Hello!'));
      }
    }
  });

  it('reconnects and rejoins its room after a server restart', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    const before = await server.visitor('bob');
    await before.join('den');
    sent(await link.send(DEN, 'One'));
    await server.restart();
    const bob = await server.visitor('bob');
    await bob.join('den');
    // Whether or not the client has noticed the end by now, no message is lost or sent twice.
    const first = await link.send(DEN, 'Two');
    if (first.outcome !== 'sent') {
      assert.equal(first.outcome, 'transient');
      sent(await link.send(DEN, 'Two'));
    }
    assert.deepEqual(await bob.waitFor(1), ['bot Two']);
  });

  it('reports a refused connection', async () => {
    await using server = await startProsody(['bot']);
    await using link = open(server);
    await server.stop();
    assertOutcome(await link.send(BOB, 'Hello?'), {
      outcome: 'transient',
      maybeSent: false,
      detail: 'ECONNREFUSED',
    });
  });

  it('loses nothing under load over one connection', async () => {
    await using server = await startProsody(['bot', 'bob', 'eve']);
    await using link = open(server);
    const people = [await server.visitor('bob'), await server.visitor('eve')];
    const texts = Array.from({ length: 100 }, (_, i) => `Number ${i} ${'x'.repeat(500)}`);
    const results = await Promise.all(
      texts.flatMap((text) => people.map(({ name }) => link.send(`${name}@localhost`, text))),
    );
    results.forEach(sent);
    for (const person of people) {
      const received = await person.waitFor(texts.length);
      assert.deepEqual(
        received.toSorted(),
        texts.map((text) => `bot@localhost ${text}`).toSorted(),
      );
      const from = new Set(
        person.stanzas.filter((each) => each.is('message')).map(({ attrs }) => attrs['from']),
      );
      assert.equal(from.size, 1);
    }
  });

  it('check: accepts its address and disconnects afterwards', async () => {
    await using server = await startProsody(['bot', 'bob']);
    await using link = open(server);
    assertOutcome(await link.check(), { outcome: 'known', as: 'bot@localhost' });
    const bob = await server.visitor('bob');
    await bob.join('den');
    sent(await link.send(DEN, 'Hello'));
    assertOutcome(await link.check(), { outcome: 'known', as: 'bot@localhost' });
    sent(await link.send(DEN, 'Still here'));
    await link[Symbol.asyncDispose]();
    await bob.sees(
      'it disconnects',
      ({ attrs }) => attrs['type'] === 'unavailable' && attrs['from'] === `${DEN}/bot`,
    );
    assert.deepEqual(bob.messages, ['bot Hello', 'bot Still here']);
  });
});
