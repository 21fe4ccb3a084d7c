import assert from 'node:assert/strict';
import { it } from 'node:test';

import { mattermost } from '../../../src/channels/mattermost/channel.ts';
import { CHANNEL, FIRST, TOKEN } from '../../emulators/mattermost.ts';
import { type Made, testHook } from '../hooks.ts';
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

/** The webhook says its own token, and nothing else proves anything. */
function prove(made: Made, { secret = '' }: { secret?: string }): Made {
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
    { it: 'hears a post as JSON', call: { body: post }, inboundEvents: [received], answer },
    {
      it: 'hears a post as a form, where moments are in seconds',
      call: {
        headers: FORM,
        body: new URLSearchParams({ ...post, timestamp: '1738584865' }).toString(),
      },
      inboundEvents: [{ ...received, at: 1_738_584_865_000 }],
      answer,
    },
    {
      it: 'hears files',
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

it("mattermost's files are had from its server, with the token of the bot", async () => {
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
