import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { line } from '../../../src/channels/line/channel.ts';
import { CHANNEL, PEERS, QUOTE, SECRET, TOKEN, lineError, openLine } from '../../emulators/line.ts';
import type { Reply } from '../../emulators/server/http.ts';
import { HOOK_URL, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const { user, group, room } = PEERS;
const at = 1_692_251_666_727;
const key = '01H810YECXQQZ37VAXPF6H9E6T';
const fromUser = { type: 'user', userId: user };
const inGroup = { type: 'group', groupId: group, userId: user };

/** One event in LINE's format. */
const event = (type: string, more: object, source: object = fromUser) => ({
  body: {
    destination: 'Uffffffffffffffffffffffffffffffff',
    events: [
      {
        type,
        mode: 'active',
        timestamp: at,
        source,
        webhookEventId: key,
        deliveryContext: { isRedelivery: false },
        replyToken: 'not-a-secret-38ef843bde154d9b91c21320ffd17a0f',
        ...more,
      },
    ],
  },
});
const message = (content: object, source: object = fromUser) =>
  event('message', { message: { id: '444573844083572737', ...content } }, source);

const id = `444573844083572737:${QUOTE}`;
const eventBase = { key, at, from: { id: user } } as const;
const received = { what: 'message', ...eventBase, id } as const;

testHook(line, {
  credentials: { token: TOKEN, secret: SECRET },
  prove: (made, { secret = '' }) => {
    const signature = createHmac('sha256', secret).update(made.body).digest('base64');
    return { ...made, headers: { ...made.headers, 'X-Line-Signature': signature } };
  },
  coversBody: true,
  cases: [
    {
      it: 'answers a verification request without events',
      call: { body: { destination: user, events: [] } },
      inboundEvents: [],
    },
    {
      it: "receives a user's text with its quote token",
      call: message({ type: 'text', quoteToken: QUOTE, text: 'Hello 👋 (moon)' }),
      inboundEvents: [{ ...received, text: 'Hello 👋 (moon)' }],
    },
    {
      it: 'receives a reply in a group',
      call: message(
        { type: 'text', quoteToken: QUOTE, text: 'Yes', quotedMessageId: '468789577898262530' },
        inGroup,
      ),
      inboundEvents: [
        { ...received, group: { id: group }, text: 'Yes', replyTo: '468789577898262530' },
      ],
    },
    {
      it: 'receives a room message without a user id',
      call: message(
        { type: 'text', quoteToken: QUOTE, text: 'Hi' },
        { type: 'room', roomId: room },
      ),
      inboundEvents: [{ ...received, from: { id: room }, group: { id: room }, text: 'Hi' }],
    },
    {
      it: 'receives an image',
      call: message({ type: 'image', quoteToken: QUOTE, contentProvider: { type: 'line' } }),
      inboundEvents: [
        { ...received, media: [{ type: 'Image', reference: 'image:444573844083572737' }] },
      ],
    },
    {
      it: 'receives a video sent by a LIFF app',
      call: message({
        type: 'video',
        quoteToken: QUOTE,
        duration: 60_000,
        contentProvider: {
          type: 'external',
          originalContentUrl: 'https://example.com/original.mp4',
          previewImageUrl: 'https://example.com/preview.jpg',
        },
      }),
      inboundEvents: [
        { ...received, media: [{ type: 'Video', reference: 'https://example.com/original.mp4' }] },
      ],
    },
    {
      it: 'receives audio',
      call: message({ type: 'audio', duration: 60_000, contentProvider: { type: 'line' } }),
      inboundEvents: [
        {
          ...received,
          id: '444573844083572737',
          media: [{ type: 'Audio', reference: 'audio:444573844083572737' }],
        },
      ],
    },
    {
      it: 'receives a file with its name',
      call: message({ type: 'file', fileName: 'file.txt', fileSize: 2138 }),
      inboundEvents: [
        {
          ...received,
          id: '444573844083572737',
          media: [{ type: 'Document', reference: 'file:444573844083572737', name: 'file.txt' }],
        },
      ],
    },
    {
      it: 'receives a place',
      call: message({
        type: 'location',
        title: 'my location',
        address: 'Tokyo',
        latitude: 35.67966,
        longitude: 139.73669,
      }),
      inboundEvents: [
        {
          ...received,
          id: '444573844083572737',
          place: { latitude: 35.67966, longitude: 139.73669, name: 'my location' },
        },
      ],
    },
    {
      it: 'receives a sticker as its keywords',
      call: message({
        type: 'sticker',
        quoteToken: QUOTE,
        packageId: '11537',
        stickerId: '52002734',
        stickerResourceType: 'ANIMATION',
        keywords: ['cony', 'hi'],
      }),
      inboundEvents: [{ ...received, text: 'cony' }],
    },
    {
      it: 'receives a button press',
      call: event('postback', { postback: { data: 'storeId=12345' } }),
      inboundEvents: [
        {
          what: 'message',
          ...eventBase,
          button: { name: 'storeId=12345', value: 'storeId=12345' },
        },
      ],
    },
    {
      it: 'receives an unsend event',
      call: event('unsend', { unsend: { messageId: '325708' } }, inGroup),
      inboundEvents: [{ what: 'deletion', ...eventBase, group: { id: group }, id: '325708' }],
    },
    {
      it: 'receives a follow event',
      call: event('follow', { follow: { isUnblocked: false } }),
      inboundEvents: [{ what: 'join', ...eventBase }],
    },
    {
      it: 'receives a block as an unfollow event',
      call: event('unfollow', {}),
      inboundEvents: [{ what: 'leave', ...eventBase }],
    },
    {
      it: 'receives its own addition to a group as a join',
      call: event('join', {}, { type: 'group', groupId: group }),
      inboundEvents: [{ what: 'join', ...eventBase, from: { id: group }, group: { id: group } }],
    },
    {
      it: 'receives its own removal from a group as a leave',
      call: event('leave', {}, { type: 'group', groupId: group }),
      inboundEvents: [{ what: 'leave', ...eventBase, from: { id: group }, group: { id: group } }],
    },
    {
      it: 'receives each member who joins a group',
      call: event(
        'memberJoined',
        { joined: { members: [fromUser, { type: 'user', userId: PEERS.unknown }] } },
        { type: 'group', groupId: group },
      ),
      inboundEvents: [user, PEERS.unknown].map((each) => ({
        what: 'join' as const,
        at,
        key: `${key}:${each}`,
        from: { id: each },
        group: { id: group },
      })),
    },
    {
      it: 'receives who left a group',
      call: event(
        'memberLeft',
        { left: { members: [fromUser] } },
        { type: 'group', groupId: group },
      ),
      inboundEvents: [{ what: 'leave', ...eventBase, key: `${key}:${user}`, group: { id: group } }],
    },
    {
      it: 'ignores unknown events',
      call: event('videoPlayComplete', { videoPlayComplete: { trackingId: 'track-id' } }),
      inboundEvents: ignored('videoPlayComplete', 'no_event'),
    },
  ],
});

describe('line webhook registration', () => {
  const run = async (
    use: 'register' | 'media',
    given: string,
    {
      answers = [],
      credentials = { token: TOKEN },
    }: { answers?: Reply[]; credentials?: object } = {},
  ) => {
    const peer = await openLine();
    for (const answer of answers) peer.next(answer);
    await using context = openContext({ credentials, url: peer.url });
    const result =
      use === 'media'
        ? await line.media?.(given, context)
        : await line.hook?.register?.(given, context);
    await peer.close();
    return { result, seen: peer.seen, url: peer.url };
  };

  it('registers the URL at LINE', async () => {
    const { result, seen } = await run('register', HOOK_URL);
    assert.deepEqual(result, { outcome: 'known', as: 'LINE' });
    assert.partialDeepStrictEqual(seen[0], { method: 'PUT', json: { endpoint: HOOK_URL } });
  });

  it('reports that webhooks are switched off', async () => {
    const { result } = await run('register', 'https://example.com/1/hooks/7/x');
    assert.ok(result && 'as' in result && result.as.includes('Use webhook'));
  });

  it("reports LINE's error about the URL", async () => {
    const { result } = await run('register', 'http://example.com');
    assert.partialDeepStrictEqual(result, { outcome: 'permanent', code: '400' });
  });

  it('finds an image with the given or a requested token', async () => {
    const { result, url } = await run('media', 'image:325708');
    const content = `${url}/v2/bot/message/325708/content`;
    assert.deepEqual(result, { url: content, headers: { authorization: `Bearer ${TOKEN}` } });
    const requested = await run('media', 'file:1', {
      credentials: { username: CHANNEL, secret: SECRET },
    });
    assert.partialDeepStrictEqual(requested.result, {
      headers: { authorization: 'Bearer fake-token-1' },
    });
  });

  it('finds a video once it is transcoded', async () => {
    const { result, seen, url } = await run('media', 'video:325708');
    assert.partialDeepStrictEqual(result, { url: `${url}/v2/bot/message/325708/content` });
    assert.equal(seen.length, 1);
    const status = (state: string) => [{ status: 200, body: { status: state } }];
    const early = await run('media', 'video:325708', { answers: status('processing') });
    assert.partialDeepStrictEqual(early.result, { outcome: 'transient' });
    const never = await run('media', 'audio:325708', { answers: status('failed') });
    assert.partialDeepStrictEqual(never.result, { outcome: 'permanent', blame: 'content' });
    const gone = await run('media', 'audio:325708', { answers: [lineError(404, 'Not found')] });
    assert.partialDeepStrictEqual(gone.result, { outcome: 'permanent', code: '404' });
  });

  it('sends the token to no other host', async () => {
    const { result } = await run('media', 'https://example.com/original.mp4');
    assert.deepEqual(result, { url: 'https://example.com/original.mp4' });
    for (const other of ['image:../../x', 'http://example.com', 'x:1']) {
      const { result: refused } = await run('media', other);
      assert.partialDeepStrictEqual(refused, { outcome: 'permanent', blame: 'content' });
    }
  });
});
