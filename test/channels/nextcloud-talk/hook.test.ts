import { createHmac } from 'node:crypto';

import { nextcloudTalk } from '../../../src/channels/nextcloud-talk/channel.ts';
import type { Credentials } from '../../../src/model/integration.ts';
import { MESSAGE, ROOM, SECRET } from '../../emulators/nextcloud-talk.ts';
import { type WebhookRequest, testHook } from '../hooks.ts';

const RANDOM = 'r'.repeat(64);
const actor = { type: 'Person', id: 'users/ada-lovelace', name: 'Ada Lovelace' };
const target = { type: 'Collection', id: ROOM, name: 'world' };

const note = (message: string, parameters: object = [], more: object = {}) => ({
  type: 'Note',
  id: MESSAGE,
  name: 'message',
  content: JSON.stringify({ message, parameters }),
  mediaType: 'text/markdown',
  ...more,
});

const create = (object: object, more: object = {}) => ({
  type: 'Create',
  actor,
  object,
  target,
  ...more,
});

const received = {
  what: 'message',
  key: MESSAGE,
  id: MESSAGE,
  from: { id: 'users/ada-lovelace', name: 'Ada Lovelace' },
  answerTo: ROOM,
  group: { id: ROOM, name: 'world' },
  mediaType: 'text/markdown',
} as const;

const file = {
  type: 'file',
  id: '12',
  name: 'a_b.png',
  link: 'https://cloud.example.com/s/x',
  mimetype: 'image/png',
};

const ignoredAs = (type: string, reason: 'no_event' | 'bot' | 'incomplete') =>
  [{ what: 'ignored', type, reason }] as const;

/** Talk signs a random value and the body. */
function prove(made: WebhookRequest, { secret = '' }: Credentials): WebhookRequest {
  const mac = createHmac('sha256', secret).update(RANDOM).update(made.body).digest('hex');
  const headers = {
    ...made.headers,
    'X-Nextcloud-Talk-Random': RANDOM,
    'X-Nextcloud-Talk-Signature': mac,
    'X-Nextcloud-Talk-Backend': 'https://cloud.example.com/',
  };
  return { ...made, headers };
}

testHook(nextcloudTalk, {
  credentials: { address: 'https://cloud.example.com', secret: SECRET },
  prove,
  coversBody: true,
  cases: [
    {
      it: 'receives a text with a mention',
      call: {
        body: create(
          note('hi {mention-call1} !', {
            'mention-call1': { type: 'call', id: ROOM, name: 'wor*ld', 'call-type': 'group' },
          }),
        ),
      },
      inboundEvents: [{ ...received, text: String.raw`hi @wor\*ld !` }],
    },
    {
      it: 'receives the time, a reply and a thread',
      call: {
        body: create(
          note('Yes {me}', [], {
            inReplyTo: { type: 'Note', actor, object: note('Tea?', [], { id: '1500' }) },
            threadId: 1400,
          }),
          { published: '2026-11-15T10:00:00+00:00' },
        ),
      },
      inboundEvents: [
        {
          ...received,
          text: 'Yes {me}',
          at: Date.UTC(2026, 10, 15, 10),
          replyTo: '1500',
          thread: '1400',
        },
      ],
    },
    {
      it: 'receives a plain text',
      call: {
        body: create(note('{file}', { file }, { mediaType: 'text/plain' })),
      },
      inboundEvents: [
        {
          what: 'message',
          key: MESSAGE,
          id: MESSAGE,
          from: received.from,
          answerTo: ROOM,
          group: received.group,
          text: 'a_b.png: https://cloud.example.com/s/x',
        },
      ],
    },
    {
      it: 'receives a file as a link, because bots cannot download it',
      call: { body: create(note('{file}', { file }, { name: '' }), { type: 'Activity' }) },
      inboundEvents: [
        { ...received, text: String.raw`[a\_b.png](<https://cloud.example.com/s/x>)` },
      ],
    },
    {
      it: 'receives a file with a caption',
      call: { body: create(note('Look', { file }), { type: 'Activity' }) },
      inboundEvents: [{ ...received, text: 'Look\n[a\\_b.png](<https://cloud.example.com/s/x>)' }],
    },
    {
      it: 'receives a place',
      call: {
        body: create(
          note(
            '{object}',
            {
              object: {
                type: 'geo-location',
                id: 'geo:52.5,13.4',
                name: 'Berlin',
                latitude: '52.5',
                longitude: '13.4',
              },
            },
            { name: 'object_shared' },
          ),
          { type: 'Activity' },
        ),
      },
      inboundEvents: [
        {
          what: 'message',
          key: MESSAGE,
          id: MESSAGE,
          from: received.from,
          answerTo: ROOM,
          group: received.group,
          place: { latitude: 52.5, longitude: 13.4, name: 'Berlin' },
        },
      ],
    },
    {
      it: 'ignores system messages',
      call: {
        body: create(note('{actor} joined', {}, { name: 'user_added' }), { type: 'Activity' }),
      },
      inboundEvents: ignoredAs('user_added', 'no_event'),
    },
    {
      it: 'ignores reactions',
      call: { body: create(note('hi'), { type: 'Like', content: '😆' }) },
      inboundEvents: ignoredAs('Like', 'no_event'),
    },
    {
      it: 'ignores removed reactions',
      call: {
        body: { type: 'Undo', actor, object: { type: 'Like', actor, object: note('hi') }, target },
      },
      inboundEvents: ignoredAs('Undo', 'no_event'),
    },
    ...(['Join', 'Leave'] as const).map((type) => ({
      it: `ignores its own ${type}`,
      call: {
        body: {
          type,
          actor: { type: 'Application', id: 'bots/bot-1', name: 'Bot' },
          object: target,
        },
      },
      inboundEvents: ignoredAs(type, 'no_event'),
    })),
    {
      it: 'ignores messages of bots',
      call: { body: create(note('hi'), { actor: { ...actor, id: 'bots/bot-1' } }) },
      inboundEvents: ignoredAs('Create', 'bot'),
    },
    {
      it: 'ignores a message without a conversation',
      call: { body: create(note('hi'), { target: {} }) },
      inboundEvents: ignoredAs('Create', 'incomplete'),
    },
    {
      it: 'ignores a message with unreadable content',
      call: { body: create(note('hi', [], { content: 'hi' })) },
      inboundEvents: ignoredAs('Create', 'incomplete'),
    },
  ],
});
