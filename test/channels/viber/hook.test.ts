import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { viber } from '../../../src/channels/viber/channel.ts';
import { PEOPLE, TOKEN, openViber } from '../../emulators/viber.ts';
import { HOOK_URL, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

/** Beyond 2^53, and written as a number. */
const token = '4912661846655238145';
const at = 1_457_764_197_627;

/** As Viber writes it: with a token that JavaScript would round. */
const callback = (event: string, more: object = {}) => {
  const text = JSON.stringify({ event, timestamp: at, chat_hostname: 'SN-CHAT-01_', ...more });
  return {
    headers: { 'content-type': 'application/json' },
    body: text.replace('"timestamp"', `"message_token":${token},"timestamp"`),
  };
};

const sender = {
  id: PEOPLE.known,
  name: 'John McClane',
  avatar: 'https://avatar.example',
  country: 'UK',
  language: 'en',
  api_version: 1,
};
const message = (content: object) =>
  callback('message', { sender, message: content, silent: false });
const from = { id: PEOPLE.known, name: 'John McClane' };
const received = { what: 'message', key: `message:${token}`, at, id: token, from } as const;
const media = 'https://dl-media.viber.example/1/picture.jpg?token=not-a-secret';

testHook(viber, {
  credentials: { token: TOKEN, username: 'Example' },
  prove: (made, { token: key = '' }) => {
    const signature = createHmac('sha256', key).update(made.body).digest('hex');
    return { ...made, headers: { ...made.headers, 'X-Viber-Content-Signature': signature } };
  },
  coversBody: true,
  cases: [
    {
      it: 'answers the registration request',
      call: callback('webhook'),
      inboundEvents: [],
    },
    {
      it: 'receives a text',
      call: message({ type: 'text', text: 'Good morning! 👋', tracking_data: 'x' }),
      inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
    },
    {
      it: 'receives an image with its text',
      call: message({ type: 'picture', text: 'Look', media, thumbnail: media }),
      inboundEvents: [
        { ...received, media: [{ type: 'Image', reference: media, caption: 'Look' }] },
      ],
    },
    {
      it: 'receives a video',
      call: message({ type: 'video', media, size: 10_000, duration: 10, text: '' }),
      inboundEvents: [{ ...received, media: [{ type: 'Video', reference: media }] }],
    },
    {
      it: 'receives a file with its name',
      call: message({ type: 'file', media, file_name: 'report.pdf', file_size: 10_000 }),
      inboundEvents: [
        { ...received, media: [{ type: 'Document', reference: media, name: 'report.pdf' }] },
      ],
    },
    {
      it: 'receives a place',
      call: message({ type: 'location', location: { lat: 50.76891, lon: '6.11499' } }),
      inboundEvents: [{ ...received, place: { latitude: 50.76891, longitude: 6.11499 } }],
    },
    {
      it: 'receives a contact as a text',
      call: message({ type: 'contact', contact: { name: 'Alex', phone_number: '+972511123123' } }),
      inboundEvents: [{ ...received, text: 'Alex +972511123123' }],
    },
    {
      it: 'receives a link',
      call: message({ type: 'url', media: 'https://example.com/' }),
      inboundEvents: [{ ...received, text: 'https://example.com/' }],
    },
    {
      it: 'receives who subscribed',
      call: callback('subscribed', { user: sender }),
      inboundEvents: [{ what: 'join', key: `subscribed:${token}`, at, from }],
    },
    {
      it: 'receives who unsubscribed',
      call: callback('unsubscribed', { user_id: PEOPLE.known }),
      inboundEvents: [
        { what: 'leave', key: `unsubscribed:${token}`, at, from: { id: PEOPLE.known } },
      ],
    },
    {
      it: 'receives a delivery receipt',
      call: callback('delivered', { user_id: PEOPLE.known }),
      inboundEvents: [{ what: 'receipt', id: token, state: 'delivered' }],
    },
    {
      it: 'receives a read receipt',
      call: callback('seen', { user_id: PEOPLE.known }),
      inboundEvents: [{ what: 'receipt', id: token, state: 'read' }],
    },
    {
      it: 'receives a failure report with its reason',
      call: callback('failed', { user_id: PEOPLE.known, desc: 'failure description' }),
      inboundEvents: [
        { what: 'receipt', id: token, state: 'failed', detail: 'failure description' },
      ],
    },
    {
      it: 'ignores who only opened a conversation, since nobody can be written to before they write',
      call: callback('conversation_started', { type: 'open', user: sender, subscribed: false }),
      inboundEvents: ignored('conversation_started', 'no_event'),
    },
  ],
});

describe('viber webhook registration', () => {
  const run = async (url: string, given: object = {}) => {
    const peer = await openViber();
    const credentials = { token: TOKEN, username: 'Example', ...given };
    await using context = openContext({ credentials, url: peer.url });
    const result = await viber.hook?.register?.(url, context);
    await peer.close();
    return { result, seen: peer.seen };
  };

  it('requests all event types that it can read', async () => {
    const { result, seen } = await run(HOOK_URL);
    assert.deepEqual(result, { outcome: 'known', as: 'Example' });
    const events = ['delivered', 'seen', 'failed', 'subscribed', 'unsubscribed'];
    assert.deepEqual(seen[0]?.json, { url: HOOK_URL, event_types: events, send_name: true });
  });

  it("reports Viber's error", async () => {
    const { result } = await run('http://example.com');
    assert.partialDeepStrictEqual(result, { outcome: 'permanent', code: '1' });
    const { result: other } = await run(HOOK_URL, { token: 'fake-other' });
    assert.partialDeepStrictEqual(other, { outcome: 'permanent', blame: 'credentials' });
  });
});

it('viber media are fetched from their own address', async () => {
  await using context = openContext({ credentials: {}, url: 'https://viber.example' });
  assert.deepEqual(await viber.media?.(media, context), { url: media });
  const wrong = await viber.media?.('file:///etc/passwd', context);
  assert.partialDeepStrictEqual(wrong, { outcome: 'permanent', blame: 'content' });
});
