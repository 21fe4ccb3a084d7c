import assert from 'node:assert/strict';
import { it } from 'node:test';

import { zulip } from '../../../src/channels/zulip/channel.ts';
import { EMAIL, KEY, TEMPORARY, UPLOADED, openZulip } from '../../emulators/zulip.ts';
import { type HookCase, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake-token-of-the-bot';
const people = (...ids: number[]) =>
  ids.map((id) => ({ id, email: `user${id}@example.org`, full_name: `User ${id}` }));
const webhookCall = (data: string, message: object, trigger = 'mention') => ({
  body: {
    bot_email: EMAIL,
    bot_full_name: 'Example Bot',
    data,
    trigger,
    message: {
      id: 112,
      sender_id: 10,
      sender_full_name: 'Ada',
      sender_email: 'user10@example.org',
      timestamp: 1_738_584_865,
      content: data,
      client: 'website',
      ...message,
    },
  },
});
const inStream = { type: 'stream', display_recipient: 'core team', stream_id: 5, subject: 'ideas' };
const received = {
  what: 'message',
  key: '112',
  id: '112',
  from: { id: '10', name: 'Ada' },
  mediaType: 'text/markdown',
  at: 1_738_584_865_000,
} as const;
const answer = { text: '{"response_not_required":true}', type: 'application/json' };

const CASES: readonly HookCase[] = [
  {
    it: 'receives a direct message',
    call: webhookCall(
      'Good **morning** 👋',
      { type: 'private', display_recipient: people(5, 10), subject: '' },
      'direct_message',
    ),
    inboundEvents: [{ ...received, text: 'Good **morning** 👋' }],
    answer,
  },
  {
    it: "receives a mention in a stream with its topic and without the bot's name",
    call: webhookCall('@**Example Bot** help me', inStream),
    inboundEvents: [
      {
        ...received,
        text: 'help me',
        group: { id: 'core team/ideas', name: 'core team' },
        thread: 'ideas',
      },
    ],
    answer,
  },
  {
    it: 'receives a group direct message',
    call: webhookCall('Hello', {
      type: 'private',
      display_recipient: people(5, 10, 11),
      subject: '',
    }),
    inboundEvents: [{ ...received, text: 'Hello', group: { id: '5,10,11' } }],
    answer,
  },
  {
    it: 'receives a message in a stream without a usable name as from its author alone',
    call: webhookCall('Hello', { ...inStream, display_recipient: 'core/team' }),
    inboundEvents: [{ ...received, text: 'Hello', thread: 'ideas' }],
    answer,
  },
  {
    it: 'receives files linked in the text',
    call: webhookCall(
      `See [report.pdf](/user_uploads/${UPLOADED}) and [](https://example.org/user_uploads/2/a/b.PNG)`,
      inStream,
    ),
    inboundEvents: [
      {
        ...received,
        text: `See [report.pdf](/user_uploads/${UPLOADED}) and [](https://example.org/user_uploads/2/a/b.PNG)`,
        group: { id: 'core team/ideas', name: 'core team' },
        thread: 'ideas',
        media: [
          { type: 'Document', reference: UPLOADED, name: 'report.pdf' },
          { type: 'Image', reference: '2/a/b.PNG' },
        ],
      },
    ],
    answer,
  },
];

testHook(zulip, {
  credentials: { address: 'https://example.org', username: EMAIL, token: KEY, secret: SECRET },
  prove: (made, { secret = '' }) => {
    const json = { ...(JSON.parse(made.body.toString()) as object), token: secret };
    return { ...made, body: Buffer.from(JSON.stringify(json)) };
  },
  coversBody: false,
  cases: CASES,
});

it('zulip files have temporary addresses', async () => {
  const peer = await openZulip();
  const found = async (reference: string, given: object = {}) => {
    const credentials = { address: peer.url, username: EMAIL, token: KEY, ...given };
    await using context = openContext({ credentials, url: '' });
    return await zulip.media?.(reference, context);
  };
  assert.deepEqual(await found(UPLOADED), { url: `${peer.url}${TEMPORARY}` });
  assert.partialDeepStrictEqual(await found('2/gone.pdf'), { outcome: 'permanent' });
  const elsewhere = ['../users/me', '%2E%2e/users/me', '2/.%2e/../x', '2/../../x'];
  for (const other of [...elsewhere, 'https://example.com/x', '']) {
    assert.partialDeepStrictEqual(await found(other), { outcome: 'permanent', blame: 'content' });
  }
  assert.ok(peer.seen.every(({ path }) => path.startsWith('/api/v1/user_uploads/')));
  const answered = `{"result":"success","msg":"","url":"https://evil.example/x"}`;
  peer.next({ status: 200, headers: { 'content-type': 'application/json' }, body: answered });
  assert.ok('outcome' in ((await found(UPLOADED)) ?? {}));
  await peer.close();
});
