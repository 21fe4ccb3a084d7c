import assert from 'node:assert/strict';
import { it } from 'node:test';

import { groupme } from '../../../src/channels/groupme/channel.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import { BOT, EARLIER, GROUPS } from '../../emulators/groupme.ts';
import { testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const id = '174769395496126999';
const message = (more: object) => ({
  body: {
    attachments: [],
    avatar_url: 'https://i.groupme.com/1024x1024.jpeg.123456789',
    created_at: 1_738_584_865,
    group_id: GROUPS.ours,
    id,
    name: 'Ada',
    sender_id: '12345',
    sender_type: 'user',
    source_guid: 'GUID',
    system: false,
    text: '',
    user_id: '12345',
    ...more,
  },
});
const received = {
  what: 'message',
  key: id,
  id,
  from: { id: '12345', name: 'Ada' },
  answerTo: GROUPS.ours,
  group: { id: GROUPS.ours },
  at: 1_738_584_865_000,
} as const;
const image = 'https://i.groupme.com/800x600.jpeg.fake';
const video = 'https://v.groupme.com/1/2021-01-01T00:00:00Z/fake.1280x720.mp4';

testHook(groupme, {
  credentials: { token: BOT },
  prove: (made) => made,
  coversBody: false,
  cases: [
    {
      it: 'receives a text in its group, which is where replies go',
      call: message({ text: 'Good morning! 👋' }),
      inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
    },
    {
      it: 'receives a reply with an image and a video',
      call: message({
        text: 'Look',
        attachments: [
          { type: 'reply', reply_id: EARLIER, base_reply_id: EARLIER, user_id: '1' },
          { type: 'image', url: image },
          { type: 'video', url: video, preview_url: image },
          { type: 'mentions', user_ids: ['1'], loci: [[0, 3]] },
        ],
      }),
      inboundEvents: [
        {
          ...received,
          text: 'Look',
          media: [
            { type: 'Image', reference: image },
            { type: 'Video', reference: video },
          ],
          replyTo: EARLIER,
        },
      ],
    },
    {
      it: 'receives a place',
      call: message({
        text: null,
        attachments: [
          { type: 'location', lat: '40.738206', lng: '-73.993285', name: 'GroupMe HQ' },
        ],
      }),
      inboundEvents: [
        {
          ...received,
          place: { latitude: 40.738206, longitude: -73.993285, name: 'GroupMe HQ' },
        },
      ],
    },
    {
      it: 'ignores bots, including itself',
      call: message({ text: 'Hello', sender_type: 'bot' }),
      inboundEvents: ignored('message.bot', 'bot'),
    },
    {
      it: 'ignores system messages',
      call: message({ text: 'Bo has joined', sender_type: 'system', system: true }),
      inboundEvents: ignored('message.system', 'no_event'),
    },
  ],
});

it('groupme media are fetched from their own address only', async () => {
  await using context = openContext({ credentials: {}, url: 'https://groupme.example' });
  assert.deepEqual(await groupme.media?.(image, context), { url: image });
  for (const other of ['https://i.groupme.com.example/', 'http://i.groupme.com/', 'x']) {
    const found = await groupme.media?.(other, context);
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content' });
  }
});

it('groupme webhooks use POST', async () => {
  await using context = openContext({ credentials: {}, url: 'https://groupme.example' });
  const query = new URLSearchParams();
  const call = { url: '', path: '', query, header: () => undefined, body: Buffer.alloc(0) };
  assert.ok(groupme.hook?.verify({ ...call, method: 'GET' }, context));
  assert.equal(groupme.hook?.verify({ ...call, method: 'POST' }, context), undefined);
});
