import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { rocketchat } from '../../../src/channels/rocketchat/channel.ts';
import { BEFORE, ROOM, TOKEN, USER } from '../../emulators/rocketchat.ts';
import { testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake-token-of-the-webhook';
const message = (more: object) => ({
  body: {
    bot: false,
    channel_id: ROOM,
    channel_name: 'general',
    message_id: 'message7Id0000017',
    timestamp: '2025-02-03T12:14:25.123Z',
    user_id: 'another7UserIdOf17',
    user_name: 'ada',
    text: 'Good *morning* 👋',
    siteUrl: 'https://chat.example.com',
    ...more,
  },
});
const id = `${ROOM}:message7Id0000017`;
const received = {
  what: 'message',
  key: id,
  id,
  from: { id: '@ada', name: 'ada' },
  group: { id: ROOM, name: 'general' },
  at: Date.UTC(2025, 1, 3, 12, 14, 25, 123),
  text: 'Good *morning* 👋',
  mediaType: 'text/markdown',
} as const;
const { group: _, ...receivedDirectly } = received;
const { text: _text, mediaType: _type, ...silent } = received;
const hash = createHash('sha256').update('Good evening').digest('hex');
const answer = { text: '{}', type: 'application/json' };
const credentials = {
  address: 'https://chat.example.com',
  token: TOKEN,
  username: USER,
  secret: SECRET,
};

testHook(rocketchat, {
  credentials,
  prove: (made, { secret = '' }) => {
    const json = { token: secret, ...(JSON.parse(made.body.toString()) as object) };
    return { ...made, body: Buffer.from(JSON.stringify(json)) };
  },
  coversBody: false,
  cases: [
    {
      it: 'receives a channel message',
      call: message({ trigger_word: 'Good' }),
      inboundEvents: [received],
      answer,
    },
    {
      it: 'receives a thread message',
      call: message({ tmid: BEFORE }),
      inboundEvents: [{ ...received, thread: `${ROOM}:${BEFORE}` }],
      answer,
    },
    {
      it: 'receives a direct message, whose room has no name',
      call: message({ channel_name: null }),
      inboundEvents: [receivedDirectly],
      answer,
    },
    {
      it: 'receives an edit',
      call: message({ text: 'Good evening', isEdited: true }),
      inboundEvents: [{ ...received, what: 'edit', key: `${id}:${hash}`, text: 'Good evening' }],
      answer,
    },
    {
      it: 'receives files without their thumbnails',
      call: message({
        text: '',
        message: {
          _id: 'message7Id0000017',
          file: { _id: 'file7Id', name: 'a b.png', type: 'image/png' },
          files: [
            { _id: 'file7Id', name: 'a b.png', type: 'image/png' },
            { _id: 'file8Id', name: 'thumb-a b.png', type: 'image/png' },
          ],
          attachments: [{ title: 'a b.png', title_link: '/file-upload/file7Id/a%20b.png' }],
        },
      }),
      inboundEvents: [
        {
          ...silent,
          media: [
            {
              type: 'Image',
              reference: 'file7Id/a%20b.png',
              name: 'a b.png',
              mediaType: 'image/png',
            },
          ],
        },
      ],
      answer,
    },
    {
      it: "receives a file's caption",
      call: message({
        text: '',
        message: {
          file: { _id: 'file7Id', name: 'report.pdf', type: 'application/pdf' },
          attachments: [{ title: 'report.pdf', description: 'Look' }],
        },
      }),
      inboundEvents: [
        {
          ...received,
          text: 'Look',
          media: [
            {
              type: 'Document',
              reference: 'file7Id/report.pdf',
              name: 'report.pdf',
              mediaType: 'application/pdf',
            },
          ],
        },
      ],
      answer,
    },
    {
      it: 'ignores its own messages',
      call: message({ user_id: USER }),
      inboundEvents: ignored('message', 'own'),
      answer,
    },
    {
      it: 'ignores messages from bots',
      call: message({ bot: { i: 'x' } }),
      inboundEvents: ignored('message', 'bot'),
      answer,
    },
    {
      it: 'ignores joins and leaves, since the request does not say which',
      call: message({ message_id: undefined, text: undefined, room: { _id: ROOM } }),
      inboundEvents: ignored('member', 'no_event'),
      answer,
    },
  ],
});

it("rocketchat files are downloaded from its server with the user's token", async () => {
  const found = async (reference: string, given: object = {}) => {
    await using context = openContext({ credentials: { ...credentials, ...given }, url: '' });
    return await rocketchat.media?.(reference, context);
  };
  assert.deepEqual(await found('file7Id/a%20b.png'), {
    url: 'https://chat.example.com/file-upload/file7Id/a%20b.png',
    headers: { 'x-auth-token': TOKEN, 'x-user-id': USER },
  });
  for (const other of ['../api/v1/me', 'file7Id', 'file7Id/a/b', '@evil.example/x']) {
    assert.partialDeepStrictEqual(await found(other), { outcome: 'permanent', blame: 'content' });
  }
  const nowhere = await found('file7Id/a.png', { address: 'chat' });
  assert.partialDeepStrictEqual(nowhere, { outcome: 'permanent', blame: 'credentials' });
});
