import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { smpp } from '../../../src/channels/smpp/channel.ts';
import { SmppInbound } from '../../../src/channels/smpp/inbound.ts';
import { writeMessage } from '../../../src/channels/smpp/pdu.ts';
import { PASSWORD, SYSTEM_ID, type SmppPeer, openSmpp } from '../../emulators/sms/smpp.ts';
import { until } from '../../support/until.ts';
import { kindsOf, listenTo, withoutKeys } from '../listening.ts';
import { openContext, outgoing, resultOf } from '../suite.ts';

const ADA = '491512345678';
const from = { id: `+${ADA}` };
const RECEIPT = 0x04;
const INTERMEDIATE_NOTIFICATION = 0x20;

async function open(server: SmppPeer, cursor?: string) {
  const before = server.binds;
  const credentials = { address: server.url, username: SYSTEM_ID, secret: PASSWORD };
  const context = openContext({ credentials, url: '' });
  const listener = listenTo(smpp, context, cursor);
  await until('the bind', () => server.binds > before);
  return {
    listener,
    send: async () =>
      resultOf(smpp, 'send', outgoing({ recipient: `+${ADA}` }), undefined, context),
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await context[Symbol.asyncDispose]();
    },
  };
}

const segment = (number: number, text: string) =>
  Buffer.concat([Buffer.of(5, 0, 3, 7, 3, number), Buffer.from(text)]);

describe('smpp receiving', () => {
  it('smpp receives texts in each alphabet, and acknowledges them', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    assert.equal(await server.deliver({ from: ADA, text: Buffer.of(0x48, 0x00, 0x1b, 0x65) }), 0);
    const text = Buffer.from('שלום', 'utf16le').swap16();
    assert.equal(await server.deliver({ from: ADA, ton: 0, coding: 8, text }), 0);
    assert.equal(await server.deliver({ from: ADA, coding: 3, text: Buffer.of(0xe4) }), 0);
    assert.equal(await server.deliver({ from: '70707', ton: 3, text: Buffer.from('Hi') }), 0);
    const ascii = [Buffer.from('[@$\t]'), Buffer.of(0x00, 0x1b, 0x65)];
    for (const each of ascii) await server.deliver({ from: ADA, coding: 1, text: each });
    assert.deepEqual(withoutKeys(await link.listener.waitFor(6)), [
      { what: 'message', from, text: 'H@€' },
      { what: 'message', from, text: 'שלום' },
      { what: 'message', from, text: 'ä' },
      { what: 'message', from: { id: '70707' }, text: 'Hi' },
      { what: 'message', from, text: '[@$\t]' },
      { what: 'message', from, text: '@€' },
    ]);
  });

  it('smpp reports data that is not text, and ignores senders that cannot be answered', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    await server.deliver({ from: ADA, coding: 4, text: Buffer.of(1, 2) });
    await server.deliver({ from: 'ACME', ton: 5, text: Buffer.from('Hi') });
    const [event] = await link.listener.waitFor(1);
    assert.partialDeepStrictEqual(event, { what: 'unreadable', reason: 'unsupported' });
    assert.deepEqual(kindsOf(link.listener.ignored), ['deliver_sm: unanswerable']);
  });

  it('smpp joins the segments of a long message in any order, and repeated ones', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    for (const [number, text] of [
      [3, 'c'],
      [1, 'a'],
      [1, 'a'],
      [2, 'b'],
    ] as const) {
      const status = await server.deliver({
        from: ADA,
        esmClass: 0x40,
        text: segment(number, text),
      });
      assert.equal(status, 0);
    }
    const parameters = (number: number) =>
      [
        [0x020c, Buffer.of(0, 9)],
        [0x020e, Buffer.of(2)],
        [0x020f, Buffer.of(number)],
      ] as const;
    await server.deliver({ from: ADA, text: Buffer.from('x'), parameters: parameters(1) });
    await server.deliver({ from: ADA, text: Buffer.from('y'), parameters: parameters(2) });
    assert.deepEqual(withoutKeys(await link.listener.waitFor(2)), [
      { what: 'message', from, text: 'abc' },
      { what: 'message', from, text: 'xy' },
    ]);
  });

  it('smpp keeps acknowledged segments through a restart, and stores the whole once', async () => {
    await using server = await openSmpp();
    const deliver = (number: number, text: string) =>
      server.deliver({ from: ADA, esmClass: 0x40, text: segment(number, text) });
    let cursor: string | undefined;
    for (const [number, text] of [
      [1, 'a'],
      [3, 'c'],
    ] as const) {
      await using link = await open(server, cursor);
      assert.equal(await deliver(number, text), 0);
      cursor = link.listener.cursor;
    }
    await using link = await open(server, cursor);
    assert.equal(await deliver(2, 'b'), 0);
    const [event, ...others] = withoutKeys(await link.listener.waitFor(1));
    assert.deepEqual([event, others], [{ what: 'message', from, text: 'abc' }, []]);
    await using later = await open(server, link.listener.cursor);
    assert.equal(await deliver(2, 'b'), 0);
    assert.deepEqual(later.listener.inboundEvents, []);
  });

  it('smpp bounds what it keeps of incomplete messages', () => {
    const inbound = new SmppInbound();
    const address = { ton: 1, npi: 1, address: ADA };
    const events: unknown[] = [];
    for (let number = 1; number <= 250; number++) {
      for (const reference of [1, 2, 3]) {
        const header = Buffer.of(5, 0, 3, reference, 255, number);
        const body = writeMessage({
          source: address,
          destination: address,
          esmClass: 0x40,
          priority: 0,
          validity: '',
          registeredDelivery: 0,
          dataCoding: 0,
          message: Buffer.concat([header, Buffer.alloc(134, 'a')]),
        });
        events.push(...inbound.parse(body, 0, () => false));
      }
    }
    assert.ok(events.length > 0);
    assert.ok((inbound.takeCursor() ?? '').length < 100 * 1024);
  });

  it('smpp passes on the oldest of too many incomplete messages', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    for (let i = 0; i <= 100; i++) {
      const text = Buffer.concat([Buffer.of(5, 0, 3, i, 2, 1), Buffer.from('a')]);
      await server.deliver({ from: ADA, esmClass: 0x40, text });
    }
    assert.deepEqual(withoutKeys(await link.listener.waitFor(1)), [
      { what: 'message', from, text: 'a' },
    ]);
  });

  it('smpp passes on the received parts of a message that stays incomplete', () => {
    const inbound = new SmppInbound();
    const address = { ton: 1, npi: 1, address: ADA };
    const body = writeMessage({
      source: address,
      destination: address,
      esmClass: 0x40,
      priority: 0,
      validity: '',
      registeredDelivery: 0,
      dataCoding: 0,
      message: segment(2, 'b'),
    });
    const minutes = (count: number) => count * 60_000;
    assert.deepEqual(
      inbound.parse(body, 0, () => false),
      [],
    );
    assert.deepEqual(inbound.takeOverdue(minutes(5)), []);
    const late = withoutKeys(inbound.takeOverdue(minutes(5) + 1));
    assert.deepEqual(late, [{ what: 'message', from, text: 'b' }]);
    assert.deepEqual(inbound.takeOverdue(minutes(9)), []);
  });

  it('smpp reports deliveries by the id of the sent message, in hexadecimal or decimal', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    const ids = ['0000ABCD', '255', '1F'];
    for (const id of ids) server.next({ to: 'submit', id });
    for (const _ of ids) await link.send();
    const receipts = [
      { text: 'id:43981 sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hi' },
      { text: 'id:ff stat:UNDELIV err:042' },
      {
        text: '',
        parameters: [
          [0x001e, Buffer.from('1f\0')],
          [0x0427, Buffer.of(2)],
        ] as const,
      },
      { text: 'id:1f stat:ENROUTE err:000' },
      { text: 'id:other stat:EXPIRED' },
    ];
    for (const { text, parameters = [] } of receipts) {
      const message = Buffer.from(text);
      assert.equal(
        await server.deliver({ from: ADA, esmClass: RECEIPT, text: message, parameters }),
        0,
      );
    }
    assert.deepEqual(await link.listener.waitFor(4), [
      { what: 'receipt', id: 'abcd', state: 'delivered' },
      { what: 'receipt', id: '255', state: 'failed', detail: 'UNDELIV', code: '042' },
      { what: 'receipt', id: '1f', state: 'delivered' },
      { what: 'receipt', id: 'other', state: 'failed', detail: 'EXPIRED' },
    ]);
  });

  it('smpp does not take a notification about a message in transit for a message', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    const text = Buffer.from('id:1f sub:001 dlvrd:000 stat:ENROUTE err:000 text:Hi');
    const status = await server.deliver({ from: ADA, esmClass: INTERMEDIATE_NOTIFICATION, text });
    assert.equal(status, 0);
    await server.deliver({ from: ADA, text: Buffer.from('Hi') });
    assert.deepEqual(withoutKeys(await link.listener.waitFor(1)), [
      { what: 'message', from, text: 'Hi' },
    ]);
  });

  it('smpp does not acknowledge a message that could not be stored', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    link.listener.failNext();
    let isAcknowledged = false;
    void server.deliver({ from: ADA, text: Buffer.from('Hi') }).then(() => (isAcknowledged = true));
    assert.partialDeepStrictEqual(await link.listener.ended, { outcome: 'transient' });
    assert.equal(await server.enquire(), 0);
    assert.equal(isAcknowledged, false);
  });

  it('smpp answers enquire_link, and ends with the connection', async () => {
    await using server = await openSmpp();
    await using link = await open(server);
    assert.equal(await server.enquire(), 0);
    server.disconnect();
    assert.partialDeepStrictEqual(await link.listener.ended, { outcome: 'transient' });
  });
});
