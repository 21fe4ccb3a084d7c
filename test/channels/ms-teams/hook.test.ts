import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { msTeams } from '../../../src/channels/ms-teams/channel.ts';
import {
  APP,
  CONVERSATIONS,
  EARLIER,
  PASSWORD,
  connectorToken,
  openTeams,
} from '../../emulators/ms-teams.ts';
import { type HookCase, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SERVICE = 'https://smba.trafficmanager.net/emea/';
const { privateKey: OTHERS } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const moment = '2025-02-03T12:14:25.123Z';
const at = Date.parse(moment);
const person = CONVERSATIONS.person;
const from = { id: '29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgFmB39ATiQWA85g', name: 'Alma' };
const bot = { id: `28:${APP}`, name: 'Example' };
const id = '1738584865123';

const claims = (now: number) => ({
  iss: 'https://api.botframework.com',
  aud: APP,
  serviceurl: SERVICE,
  nbf: Math.floor(now / 1000),
  exp: Math.floor(now / 1000) + 600,
});

const activity = (type: string, more: object = {}, conversation: object = { id: person }) => ({
  body: {
    type,
    id,
    timestamp: moment,
    serviceUrl: SERVICE,
    channelId: 'msteams',
    from: { ...from, aadObjectId: '11111111-2222-3333-4444-555555555555' },
    conversation: { conversationType: 'personal', ...conversation },
    recipient: bot,
    ...more,
  },
});
const inChannel = {
  id: `${CONVERSATIONS.channel};messageid=${EARLIER}`,
  isGroup: true,
  conversationType: 'channel',
};
const eventBase = { from, answerTo: person, at } as const;
const received = { what: 'message', ...eventBase, key: `${person}:${id}`, id } as const;
const group = { id: CONVERSATIONS.channel, name: 'General' };
const channelEventBase = { from, answerTo: inChannel.id, at, group } as const;
const channelData = { channel: { id: CONVERSATIONS.channel, name: 'General' } };
const imageUrl = 'https://smba.trafficmanager.net/emea/v3/attachments/0-weu-d1/views/original';
const file = 'https://example.sharepoint.com/download.aspx?tempauth=not-a-secret';

const CASES: readonly HookCase[] = [
  {
    it: 'receives a text from a user',
    call: activity('message', { text: 'Good morning! 👋', textFormat: 'plain', locale: 'en' }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
  },
  {
    it: 'receives a channel message in its thread, without the mention',
    call: activity(
      'message',
      {
        text: '<at>Example</at> ask <at>Bo & Co</at>, please',
        textFormat: 'xml',
        channelData,
        entities: [
          { type: 'mention', mentioned: bot, text: '<at>Example</at>' },
          { type: 'mention', mentioned: { id: '29:2', name: 'Bo' }, text: '<at>Bo & Co</at>' },
          { type: 'clientInfo', locale: 'en-US' },
        ],
      },
      inChannel,
    ),
    inboundEvents: [
      {
        what: 'message',
        ...channelEventBase,
        key: `${CONVERSATIONS.channel}:${id}`,
        id,
        text: 'ask @Bo, please',
        mediaType: 'text/html',
        thread: EARLIER,
      },
    ],
  },
  {
    it: 'receives a reply with an inline image and its text once',
    call: activity('message', {
      text: 'Look',
      replyToId: EARLIER,
      attachments: [
        { contentType: 'image/*', contentUrl: imageUrl },
        { contentType: 'text/html', content: '<div>Look</div>' },
      ],
    }),
    inboundEvents: [
      {
        ...received,
        text: 'Look',
        media: [{ type: 'Image', reference: imageUrl }],
        replyTo: EARLIER,
      },
    ],
  },
  {
    it: 'receives a file',
    call: activity('message', {
      attachments: [
        {
          contentType: 'application/vnd.microsoft.teams.file.download.info',
          contentUrl: 'https://example.sharepoint.com/report.pdf',
          name: 'report.pdf',
          content: { downloadUrl: file, uniqueId: '1150D938', fileType: 'pdf' },
        },
      ],
    }),
    inboundEvents: [
      { ...received, media: [{ type: 'Document', reference: file, name: 'report.pdf' }] },
    ],
  },
  {
    it: 'receives a button press on a card',
    call: activity('message', { value: { choice: 'yes' }, replyToId: EARLIER }),
    inboundEvents: [
      {
        ...received,
        button: { name: '{"choice":"yes"}', value: '{"choice":"yes"}' },
        replyTo: EARLIER,
      },
    ],
  },
  {
    it: 'receives an edit',
    call: activity('messageUpdate', {
      text: 'Good evening!',
      channelData: { eventType: 'editMessage' },
    }),
    inboundEvents: [
      { ...received, what: 'edit', key: `${person}:edit:${id}:${moment}`, text: 'Good evening!' },
    ],
  },
  {
    it: 'receives a deletion',
    call: activity('messageDelete', { channelData: { eventType: 'softDeleteMessage' } }),
    inboundEvents: [{ what: 'deletion', ...eventBase, key: `${person}:deletion:${id}`, id }],
  },
  {
    it: 'receives who started a conversation',
    call: activity('conversationUpdate', { membersAdded: [bot] }),
    inboundEvents: [{ what: 'join', ...eventBase, key: `${person}:join:${bot.id}:${moment}` }],
  },
  {
    it: 'receives who joined and left a channel, and its own addition',
    call: activity(
      'conversationUpdate',
      { membersAdded: [{ id: '29:2' }, bot], membersRemoved: [{ id: '29:3' }], channelData },
      { ...inChannel, id: CONVERSATIONS.channel },
    ),
    inboundEvents: (
      [
        ['join', '29:2', { id: '29:2' }],
        ['join', bot.id, group],
        ['leave', '29:3', { id: '29:3' }],
      ] as const
    ).map(([what, who, party]) => ({
      what,
      at,
      group,
      answerTo: CONVERSATIONS.channel,
      from: party,
      key: `${CONVERSATIONS.channel}:${what}:${who}:${moment}`,
    })),
  },
  {
    it: 'receives a read receipt',
    call: activity('event', {
      name: 'application/vnd.microsoft.readReceipt',
      value: { lastReadMessageId: EARLIER },
    }),
    inboundEvents: [
      { what: 'receipt', id: EARLIER, state: 'read' },
      { what: 'receipts', recipient: person, upTo: Number(EARLIER), state: 'read' },
    ],
  },
  {
    it: 'ignores its own messages',
    call: activity('message', { from: bot, text: 'Hello' }),
    inboundEvents: ignored('message', 'own'),
  },
  {
    it: 'ignores typing',
    call: activity('typing'),
    inboundEvents: ignored('typing', 'no_event'),
  },
];

testHook(msTeams, {
  open: openTeams,
  credentials: { token: APP, secret: PASSWORD },
  prove: (made, { secret }, now) => {
    // The signing key is Microsoft's, not the customer's.
    const key = secret === PASSWORD ? undefined : OTHERS;
    const token = connectorToken(claims(now), {}, key);
    return { ...made, headers: { ...made.headers, Authorization: `Bearer ${token}` } };
  },
  coversBody: false,
  window: 660,
  cases: CASES,
});

describe('ms-teams webhook tokens', () => {
  const { hook } = msTeams;
  assert.ok(hook);
  const verdict = async (more: object, header: object = {}, serviceUrl = SERVICE) => {
    const peer = await openTeams();
    const credentials = { token: APP, secret: PASSWORD };
    await using context = openContext({ credentials, url: peer.url });
    const token = connectorToken({ ...claims(context.clock.now()), ...more }, header);
    const given = await hook.verify(
      {
        method: 'POST',
        url: 'https://none.example',
        path: '',
        query: new URLSearchParams(),
        header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
        body: Buffer.from(JSON.stringify({ serviceUrl })),
      },
      context,
    );
    await peer.close();
    return given;
  };

  it('ms-teams webhook tokens must be issued by the connector for this app and service URL', async () => {
    assert.equal(await verdict({}), undefined);
    assert.ok(await verdict({ iss: 'https://sts.windows.net/' }));
    assert.ok(await verdict({ aud: 'another-app' }));
    assert.ok(await verdict({ exp: undefined }));
    assert.match((await verdict({ serviceurl: undefined })) ?? '', /another service/);
    assert.match((await verdict({}, {}, 'https://evil.example/')) ?? '', /another service/);
    assert.ok(await verdict({}, { alg: 'HS256' }));
    assert.ok(await verdict({}, { alg: 'none' }));
    assert.match((await verdict({}, { kid: 'another' })) ?? '', /unknown/);
  });
});

describe('ms-teams files', () => {
  const run = async (reference: string | ((url: string) => string), given: object = {}) => {
    const peer = await openTeams();
    const credentials = { token: APP, secret: PASSWORD, ...given };
    await using context = openContext({ credentials, url: peer.url });
    const url = typeof reference === 'string' ? reference : reference(peer.url);
    const found = await msTeams.media?.(url, context);
    await peer.close();
    return { found, url };
  };
  const headers = { authorization: 'Bearer fake-token-1' };

  it('ms-teams files are downloaded with a token from the connector only', async () => {
    assert.deepEqual((await run(imageUrl)).found, { url: imageUrl, headers });
    const { found, url } = await run((base) => `${base}/v3/attachments/1/views/original`);
    assert.deepEqual(found, { url, headers });
    assert.deepEqual((await run(file)).found, { url: file });
    const other = 'https://smba.trafficmanager.net.example/';
    assert.deepEqual((await run(other)).found, { url: other });
  });

  it('ms-teams files are not downloaded from other hosts or with a wrong password', async () => {
    for (const reference of ['http://smba.trafficmanager.net/', 'file:///etc/passwd', '']) {
      const { found } = await run(reference);
      assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content' }, reference);
    }
    const { found } = await run(imageUrl, { secret: 'fake~wrong' });
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'credentials' });
  });
});
