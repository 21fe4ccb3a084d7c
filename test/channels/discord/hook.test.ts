import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';

import { discord } from '../../../src/channels/discord/channel.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import { CHANNELS, FILED, PUBLIC_KEY, TOKEN, openDiscord } from '../../emulators/discord/api.ts';
import { find, register } from '../hook-setup.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { assertOutcome } from '../suite.ts';

/* https://docs.discord.com/developers/interactions/receiving-and-responding */

/** Key pair of RFC 8032, section 7.1, test 1; the emulator has its public key. */
const OURS = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: Buffer.from(
      '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
      'hex',
    ).toString('base64url'),
    x: Buffer.from(PUBLIC_KEY, 'hex').toString('base64url'),
  },
});
const OTHERS = generateKeyPairSync('ed25519').privateKey;

const ID = '175928847299117063';
/** Example id from https://docs.discord.com/developers/reference#snowflakes */
const AT = 1_462_015_105_796;
const CHANNEL = CHANNELS.text;
const ada = { id: '53908232506183680', username: 'ada', global_name: 'Ada', discriminator: '0' };
const eventBase = {
  what: 'message',
  key: `interaction:${ID}`,
  from: { id: ada.id, name: 'Ada' },
  answerTo: CHANNEL,
  at: AT,
} as const;
const group = { id: CHANNEL, name: 'engines' };

const interaction = (type: number, more: object) => ({
  body: {
    id: ID,
    application_id: '80351110224678912',
    type,
    token: 'fake-token-of-an-interaction',
    version: 1,
    channel_id: CHANNEL,
    channel: { id: CHANNEL, name: 'engines', type: 0 },
    guild_id: '290926798626357999',
    member: { user: ada, nick: null },
    ...more,
  },
});
const json = (value: object) => ({ text: JSON.stringify(value), type: 'application/json' });
const DONE = json({ type: 6 });
const message = {
  id: '1100000000000000007',
  channel_id: CHANNEL,
  components: [
    { type: 10, content: 'Well?' },
    {
      type: 1,
      components: [
        { type: 2, style: 2, label: 'No', custom_id: '1:No' },
        { type: 2, style: 2, label: 'Oh yes', custom_id: '2:Oh yes' },
      ],
    },
  ],
};
const replyTo = `${CHANNEL}:${message.id}`;

const cases: HookCase[] = [
  {
    it: 'answers a ping',
    call: { body: { id: ID, application_id: '1', type: 1, token: 'fake', version: 1 } },
    inboundEvents: [],
    answer: json({ type: 1 }),
  },
  {
    it: 'answers a ping of the events endpoint',
    call: { body: { version: 1, application_id: '1', type: 0 } },
    inboundEvents: [],
    answer: { status: 204 },
  },
  {
    it: 'receives a button press',
    call: interaction(3, { data: { component_type: 2, custom_id: '2:Oh yes' }, message }),
    inboundEvents: [{ ...eventBase, group, button: { name: 'Oh yes', value: 'Oh yes' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'receives a button press in a direct message, of a button sent by others',
    call: interaction(3, {
      guild_id: undefined,
      member: undefined,
      user: ada,
      data: { component_type: 2, custom_id: 'other' },
      message: { id: message.id },
    }),
    inboundEvents: [{ ...eventBase, button: { name: 'other', value: 'other' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'receives the chosen option',
    call: interaction(3, {
      data: { component_type: 3, custom_id: 'drinks', values: ['tea'] },
      message,
    }),
    inboundEvents: [{ ...eventBase, group, button: { name: 'tea', value: 'tea' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'receives a command as typed',
    call: interaction(2, {
      data: {
        id: '1',
        type: 1,
        name: 'weather',
        options: [
          {
            type: 1,
            name: 'today',
            options: [
              { type: 3, name: 'city', value: 'London' },
              { type: 5, name: 'rain', value: true },
            ],
          },
        ],
      },
    }),
    inboundEvents: [{ ...eventBase, group, text: '/weather today city:London rain:true' }],
    answer: json({ type: 4, data: { content: '✓', flags: 64 } }),
  },
  {
    it: 'offers no autocomplete choices',
    call: interaction(4, { data: { id: '1', type: 1, name: 'weather', options: [] } }),
    inboundEvents: ignored('interaction.4', 'no_event'),
    answer: json({ type: 8, data: { choices: [] } }),
  },
  {
    it: 'ignores unknown interactions',
    call: interaction(5, { data: { custom_id: 'a', components: [] } }),
    inboundEvents: ignored('interaction.5', 'no_event'),
    answer: DONE,
  },
  {
    it: 'ignores events about the application',
    call: {
      body: {
        version: 1,
        application_id: '1',
        type: 1,
        event: { type: 'APPLICATION_AUTHORIZED', timestamp: '2024-10-18T14:42:53', data: {} },
      },
    },
    inboundEvents: ignored('APPLICATION_AUTHORIZED', 'no_event'),
    answer: { status: 204 },
  },
];

testHook(discord, {
  credentials: { token: TOKEN, secret: PUBLIC_KEY },
  prove(call, { secret }, now) {
    const at = String(Math.floor(now / 1000));
    const key = secret === PUBLIC_KEY ? OURS : OTHERS;
    const signature = sign(undefined, Buffer.concat([Buffer.from(at), call.body]), key);
    const proof = {
      'X-Signature-Ed25519': signature.toString('hex'),
      'X-Signature-Timestamp': at,
    };
    return { ...call, headers: { ...call.headers, ...proof } };
  },
  coversBody: true,
  window: 300,
  cases,
});

describe('discord webhook registration', () => {
  const registerWith = async (credentials: object) =>
    register(discord, { open: openDiscord, credentials: { token: TOKEN, ...credentials } });

  it('registers the interactions URL', async () => {
    const { outcome, seen, renewed } = await registerWith({ secret: PUBLIC_KEY });
    assertOutcome(outcome, { outcome: 'known', as: 'Example' });
    assert.deepEqual(seen[1]?.json, { interactions_endpoint_url: HOOK_URL });
    assert.deepEqual(renewed, []);
  });

  it('requires the public key when it is missing or wrong', async () => {
    for (const secret of [undefined, 'f'.repeat(64)]) {
      const { renewed } = await registerWith(secret === undefined ? {} : { secret });
      assert.deepEqual(renewed, [{ secret: PUBLIC_KEY }]);
    }
  });

  it('reports why registration failed', async () => {
    const { outcome } = await registerWith({ token: 'fake-other' });
    assertOutcome(outcome, { outcome: 'permanent', blame: 'credentials', code: '401' });
  });
});

describe('discord file download', () => {
  const findFile = async (reference: string) => {
    const { found } = await find(discord, reference, {
      open: openDiscord,
      credentials: { token: TOKEN },
    });
    return found;
  };

  it('finds the current address in the message or in a forwarded one', async () => {
    const cdn = 'https://cdn.discordapp.com/attachments';
    assert.deepEqual(await findFile(`${CHANNEL}:${FILED}:1`), {
      url: `${cdn}/1/mill.png?ex=6&is=6&hm=fake`,
    });
    assert.deepEqual(await findFile(`${CHANNEL}:${FILED}:3`), { url: `${cdn}/3/mill.png` });
  });

  for (const [reference, blame] of [
    [`${CHANNEL}:${FILED}:2`, 'content'],
    [`${CHANNEL}:${FILED}:9`, 'content'],
    ['../users:@me:1', 'content'],
    [`${CHANNELS.foreign}:${FILED}:1`, 'recipient'],
  ] as const) {
    it(`reports that the file is unavailable: ${reference}`, async () => {
      const found = await findFile(reference);
      assert.ok('outcome' in found);
      assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame });
    });
  }
});
