import assert from 'node:assert/strict';
import { it } from 'node:test';

import { mattermost } from '../../../src/channels/mattermost/channel.ts';
import { CHANNEL, FIRST, TOKEN } from '../../emulators/mattermost.ts';
import { type WebhookRequest, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const SECRET = 'fake9token9of9the9webhook9';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const user = 'user7aaaaaaaaaaaaaaaaaaaaa';
const file = 'file7aaaaaaaaaaaaaaaaaaaaa';
const post = {
  team_id: 'team7aaaaaaaaaaaaaaaaaaaaa',
  team_domain: 'example',
  channel_id: CHANNEL,
  channel_name: 'town-square',
  timestamp: 1_738_584_865_123,
  user_id: user,
  user_name: 'ada',
  post_id: FIRST,
  text: 'help **me** 👋 a=b&c',
  trigger_word: 'help',
  file_ids: '',
};
const received = {
  what: 'message',
  key: FIRST,
  id: FIRST,
  from: { id: user, name: 'ada' },
  answerTo: CHANNEL,
  group: { id: CHANNEL, name: 'town-square' },
  text: 'help **me** 👋 a=b&c',
  mediaType: 'text/markdown',
  at: 1_738_584_865_123,
} as const;
const answer = { text: '{}', type: 'application/json' };

/** Mattermost does not sign: the request contains the webhook's token. */
function prove(made: WebhookRequest, { secret = '' }: { secret?: string }): WebhookRequest {
  if (made.headers['content-type'] === FORM['content-type']) {
    const fields = new URLSearchParams(made.body.toString());
    fields.set('token', secret);
    return { ...made, body: Buffer.from(fields.toString()) };
  }
  const json = { token: secret, ...(JSON.parse(made.body.toString()) as object) };
  return { ...made, body: Buffer.from(JSON.stringify(json)) };
}

testHook(mattermost, {
  credentials: { address: 'https://chat.example.com', token: TOKEN, secret: SECRET },
  prove,
  coversBody: false,
  cases: [
    { it: 'receives a post as JSON', call: { body: post }, inboundEvents: [received], answer },
    {
      it: 'receives a post as a form, with the time in seconds',
      call: {
        headers: FORM,
        body: new URLSearchParams({ ...post, timestamp: '1738584865' }).toString(),
      },
      inboundEvents: [{ ...received, at: 1_738_584_865_000 }],
      answer,
    },
    {
      it: 'receives files',
      call: { body: { ...post, file_ids: `${file},${FIRST}` } },
      inboundEvents: [
        {
          ...received,
          media: [
            { type: 'Document', reference: file },
            { type: 'Document', reference: FIRST },
          ],
        },
      ],
      answer,
    },
  ],
});

it("mattermost files are downloaded from its server with the bot's token", async () => {
  const found = async (reference: string, credentials: object) => {
    await using context = openContext({ credentials, url: '' });
    return await mattermost.media?.(reference, context);
  };
  const credentials = { address: 'https://chat.example.com/', token: TOKEN };
  assert.deepEqual(await found(file, credentials), {
    url: `https://chat.example.com/api/v4/files/${file}`,
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  const wrong = await found('../users/me', credentials);
  assert.partialDeepStrictEqual(wrong, { outcome: 'permanent', blame: 'content' });
  const nowhere = await found(file, { ...credentials, address: 'chat' });
  assert.partialDeepStrictEqual(nowhere, { outcome: 'permanent', blame: 'credentials' });
});
