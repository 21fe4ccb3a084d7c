import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { signal } from '../../../src/channels/signal/channel.ts';
import { readSignal } from '../../../src/channels/signal/envelope.ts';
import { ACCOUNT, FILE, PEERS, openSignal, openSignalEvents } from '../../emulators/signal.ts';
import { fc } from '../../support/fast-check.ts';
import { until } from '../../support/until.ts';
import { find } from '../hook-setup.ts';
import { kindsOf, listenTo } from '../listening.ts';
import { assertOutcome, openContext } from '../suite.ts';

const AT = 1_794_700_800_123;
const source = {
  sourceNumber: PEERS.number,
  sourceUuid: PEERS.uuid,
  sourceName: 'Ada',
  sourceDevice: 1,
  timestamp: AT,
};
const from = { id: PEERS.number, otherAddresses: [PEERS.uuid], name: 'Ada' };
const groupInfo = { groupId: PEERS.group.slice(6), groupName: 'Engines', type: 'DELIVER' };
const data = (more: object) => ({
  ...source,
  dataMessage: { timestamp: AT, message: null, ...more },
});
const id = `${AT}:${PEERS.number}`;
const received = { what: 'message', key: id, id, at: AT, from } as const;

/** Each envelope and the expected event. */
const EVENTS: readonly (readonly [it: string, envelope: object, event: object])[] = [
  ['a text', data({ message: 'Hi *all*' }), { ...received, text: 'Hi *all*' }],
  [
    'a text of somebody with a hidden number',
    { ...data({ message: 'Hi' }), sourceNumber: null, sourceName: '' },
    {
      ...received,
      key: `${AT}:${PEERS.uuid}`,
      id: `${AT}:${PEERS.uuid}`,
      from: { id: PEERS.uuid, otherAddresses: [] },
      text: 'Hi',
    },
  ],
  [
    'a text in a group',
    data({ message: 'Hi', groupInfo }),
    { ...received, group: { id: PEERS.group, name: 'Engines' }, text: 'Hi' },
  ],
  [
    'styles as Markdown',
    data({
      message: '👋 bold* x',
      textStyles: [
        { style: 'BOLD', start: 3, length: 5 },
        { style: 'MONOSPACE', start: 9, length: 1 },
        { style: 'SPOILER', start: 0, length: 2 },
      ],
    }),
    { ...received, text: '👋 **bold\\*** `x`', mediaType: 'text/markdown' },
  ],
  [
    'a mention as a number',
    data({ message: 'Hi \uFFFC!', mentions: [{ number: '+15550100009', start: 3, length: 1 }] }),
    { ...received, text: 'Hi @+15550100009!' },
  ],
  [
    'a quotation of our message',
    data({ message: 'Yes', quote: { id: 1_794_700_000_000, authorNumber: ACCOUNT, text: 'Tea?' } }),
    { ...received, text: 'Yes', replyTo: '1794700000000' },
  ],
  [
    'a quotation of another message',
    data({ message: 'Yes', quote: { id: 1_794_700_000_000, authorUuid: PEERS.uuid } }),
    { ...received, text: 'Yes', replyTo: `1794700000000:${PEERS.uuid}` },
  ],
  [
    'files',
    data({
      attachments: [
        { contentType: 'image/png', filename: 'a.png', id: FILE.id, size: 16, caption: null },
        { contentType: 'application/pdf', id: 'b.pdf' },
        { contentType: 'image/png', id: null },
      ],
      groupInfo,
    }),
    {
      ...received,
      group: { id: PEERS.group, name: 'Engines' },
      media: [
        {
          type: 'Image',
          reference: `${FILE.id} ${PEERS.group}`,
          mediaType: 'image/png',
          name: 'a.png',
        },
        { type: 'Document', reference: `b.pdf ${PEERS.group}`, mediaType: 'application/pdf' },
      ],
    },
  ],
  [
    'an edit',
    {
      ...source,
      editMessage: {
        targetSentTimestamp: AT - 5,
        dataMessage: { timestamp: AT, message: 'after' },
      },
    },
    { ...received, what: 'edit', id: `${AT - 5}:${PEERS.number}`, text: 'after' },
  ],
  [
    'a deletion',
    data({ remoteDelete: { timestamp: AT - 5 } }),
    { what: 'deletion', key: id, at: AT, from, id: `${AT - 5}:${PEERS.number}` },
  ],
  [
    'a delivery receipt',
    {
      ...source,
      receiptMessage: { when: AT, isDelivery: true, isRead: false, timestamps: [AT - 9] },
    },
    { what: 'receipt', id: String(AT - 9), state: 'delivered' },
  ],
  [
    'a read receipt',
    {
      ...source,
      receiptMessage: { when: AT, isDelivery: false, isRead: true, timestamps: [AT - 9] },
    },
    { what: 'receipt', id: String(AT - 9), state: 'read' },
  ],
];

/** Each envelope and why it is ignored. */
const IGNORED: readonly (readonly [string, object])[] = [
  ['syncMessage: own', { ...source, syncMessage: { sentMessage: { message: 'Hi' } } }],
  ['typingMessage: no_event', { ...source, typingMessage: { action: 'STARTED' } }],
  ['callMessage: no_event', { ...source, callMessage: { offerMessage: {} } }],
  ['reaction: no_event', data({ reaction: { emoji: '👍', targetSentTimestamp: AT } })],
  ['groupUpdate: no_change', data({ groupInfo: { ...groupInfo, type: 'UPDATE' } })],
  ['expirationUpdate: no_change', data({ isExpirationUpdate: true })],
  ['sticker: no_content', data({ sticker: { packId: 'a', stickerId: 1 } })],
  ['receive: incomplete', { timestamp: AT, dataMessage: { message: 'Hi' } }],
];

const open = (server: { url: string }, username = ACCOUNT) =>
  openContext({
    credentials: { address: server.url, username, secret: 'user:fake-secret' },
    url: '',
  });

describe('signal listening', () => {
  it('signal receives every kind of event in order, and ignores the rest with a reason', async () => {
    await using server = await openSignalEvents();
    await using context = open(server);
    await using listener = listenTo(signal, context);
    await until('the stream is open', server.isOpen);
    server.write(':\n');
    for (const [, envelope] of IGNORED) server.receive(envelope);
    server.receive(data({ message: 'Hi' }), { account: '+15550100002' });
    // Every event has another key, so that none is a duplicate.
    const isReceipt = (event: object) => 'state' in event;
    const distinct = EVENTS.filter(([, , event]) => isReceipt(event));
    for (const [, envelope] of distinct) server.receive(envelope);
    server.receive(data({ message: 'the last' }));
    const events = await listener.waitFor(distinct.length + 1);
    assert.deepEqual(events, [
      ...distinct.map(([, , event]) => event),
      { ...received, text: 'the last' },
    ]);
    assert.deepEqual(kindsOf(listener.ignored), [
      ...IGNORED.map(([kind]) => kind),
      'receive: elsewhere',
    ]);
    assert.deepEqual(server.seen, [
      {
        url: `/api/v1/events?account=${encodeURIComponent(ACCOUNT)}`,
        authorization: `Basic ${Buffer.from('user:fake-secret').toString('base64')}`,
      },
    ]);
  });

  for (const [what, envelope, event] of EVENTS) {
    it(`signal receives ${what}`, () => {
      assert.deepEqual(readSignal({ account: ACCOUNT, envelope }, ACCOUNT), [event]);
    });
  }

  it('signal reports a message that could not be decrypted', () => {
    const exception = { message: 'bad', type: 'ProtocolInvalidMessageException' };
    assert.deepEqual(readSignal({ account: ACCOUNT, envelope: source, exception }, ACCOUNT), [
      { what: 'unreadable', key: id, at: AT, reason: 'unsupported', sender: PEERS.number },
    ]);
  });

  it('signal never throws on arbitrary envelopes', () => {
    const texts = [...EVENTS.map(([, envelope]) => envelope), ...IGNORED.map(([, one]) => one)];
    const part = fc.jsonValue();
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.string(), part, part, (envelope, name, a, b) => {
        const broken = JSON.parse(JSON.stringify(envelope), (key, value: unknown) =>
          key === name || key === 'start' || key === 'timestamps' ? a : value,
        ) as object;
        for (const one of [{ envelope: { ...broken, dataMessage: b } }, { envelope: broken }, a]) {
          assert.ok(readSignal(one, ACCOUNT).length > 0);
        }
      }),
    );
  });

  it('signal stops when the daemon does not have the account', async () => {
    await using server = await openSignalEvents();
    await using context = open(server, '+15550100002');
    await using listener = listenTo(signal, context);
    const end = await listener.ended;
    assert.ok(end);
    assertOutcome(end, { outcome: 'permanent', blame: 'credentials', code: '400' });
  });

  it('signal ends when the daemon ends the stream', async () => {
    await using server = await openSignalEvents();
    await using context = open(server);
    await using listener = listenTo(signal, context);
    await until('the stream is open', server.isOpen);
    server.end();
    assert.equal(await listener.ended, undefined);
  });

  it('signal ends the stream at an event that is too long', async () => {
    await using server = await openSignalEvents();
    await using context = open(server);
    await using listener = listenTo(signal, context);
    await until('the stream is open', server.isOpen);
    server.write(`data:${'x'.repeat(1024 * 1024 + 1)}`);
    const end = await listener.ended;
    assert.ok(end);
    assertOutcome(end, { outcome: 'transient', maybeSent: false, detail: 'too long' });
  });

  it('signal fetches a received file from the daemon', async () => {
    assert.deepEqual(await fileAt(`${FILE.id} ${PEERS.group}`), { bytes: FILE.bytes });
  });

  it('signal blames the content for a file that the daemon no longer has', async () => {
    const found = await fileAt(`gone.png ${PEERS.number}`);
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content', code: '-1' });
  });
});

async function fileAt(reference: string) {
  const peer = await openSignal();
  const credentials = { address: peer.url, username: ACCOUNT };
  const { found } = await find(signal, reference, {
    open: () => Promise.resolve(peer),
    credentials,
  });
  return found;
}
