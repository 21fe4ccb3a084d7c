import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { describe, it } from 'node:test';

import { discord } from '../../../src/channels/discord/channel.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import { CHANNELS, FILED, PUBLIC_KEY, TOKEN, openDiscord } from '../../emulators/discord/api.ts';
import { HOOK_URL, type HookCase, testHook } from '../hooks.ts';
import { find, register } from '../recipients.ts';
import { assertOutcome } from '../suite.ts';

/* https://docs.discord.com/developers/interactions/receiving-and-responding */

/** RFC 8032, section 7.1, test 1: its public key is the emulator's. */
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
/** https://docs.discord.com/developers/reference#snowflakes has this id for an example. */
const AT = 1_462_015_105_796;
const CHANNEL = CHANNELS.text;
const ada = { id: '53908232506183680', username: 'ada', global_name: 'Ada', discriminator: '0' };
const told = {
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
    it: 'answers a ping before events',
    call: { body: { version: 1, application_id: '1', type: 0 } },
    inboundEvents: [],
    answer: { status: 204 },
  },
  {
    it: 'hears which button was pressed',
    call: interaction(3, { data: { component_type: 2, custom_id: '2:Oh yes' }, message }),
    inboundEvents: [{ ...told, group, button: { name: 'Oh yes', value: 'Oh yes' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'hears a press between two, of a button that is not ours',
    call: interaction(3, {
      guild_id: undefined,
      member: undefined,
      user: ada,
      data: { component_type: 2, custom_id: 'other' },
      message: { id: message.id },
    }),
    inboundEvents: [{ ...told, button: { name: 'other', value: 'other' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'hears what was chosen',
    call: interaction(3, {
      data: { component_type: 3, custom_id: 'drinks', values: ['tea'] },
      message,
    }),
    inboundEvents: [{ ...told, group, button: { name: 'tea', value: 'tea' }, replyTo }],
    answer: DONE,
  },
  {
    it: 'hears a command as it was typed',
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
    inboundEvents: [{ ...told, group, text: '/weather today city:London rain:true' }],
    answer: json({ type: 4, data: { content: '✓', flags: 64 } }),
  },
  {
    it: 'has nothing to propose while a command is typed',
    call: interaction(4, { data: { id: '1', type: 1, name: 'weather', options: [] } }),
    inboundEvents: ignored('interaction.4', 'no_event'),
    answer: json({ type: 8, data: { choices: [] } }),
  },
  {
    it: 'leaves out interactions that it does not know',
    call: interaction(5, { data: { custom_id: 'a', components: [] } }),
    inboundEvents: ignored('interaction.5', 'no_event'),
    answer: DONE,
  },
  {
    it: 'leaves out events about the application',
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

describe('discord, told where to call', () => {
  const tell = async (credentials: object) =>
    register(discord, { open: openDiscord, credentials: { token: TOKEN, ...credentials } });

  it('is told the address', async () => {
    const { outcome, seen, renewed } = await tell({ secret: PUBLIC_KEY });
    assertOutcome(outcome, { outcome: 'known', as: 'Example' });
    assert.deepEqual(seen[1]?.json, { interactions_endpoint_url: HOOK_URL });
    assert.deepEqual(renewed, []);
  });

  it('is asked for its public key, where that is missing or wrong', async () => {
    for (const secret of [undefined, 'f'.repeat(64)]) {
      const { renewed } = await tell(secret === undefined ? {} : { secret });
      assert.deepEqual(renewed, [{ secret: PUBLIC_KEY }]);
    }
  });

  it('says why it was not taken', async () => {
    const { outcome } = await tell({ token: 'fake-other' });
    assertOutcome(outcome, { outcome: 'permanent', blame: 'credentials', code: '401' });
  });
});

describe('discord, asked for a file', () => {
  const ask = async (reference: string) => {
    const { found } = await find(discord, reference, {
      open: openDiscord,
      credentials: { token: TOKEN },
    });
    return found;
  };

  it('says where it is now, in the message or in what was passed on with it', async () => {
    const cdn = 'https://cdn.discordapp.com/attachments';
    assert.deepEqual(await ask(`${CHANNEL}:${FILED}:1`), {
      url: `${cdn}/1/mill.png?ex=6&is=6&hm=fake`,
    });
    assert.deepEqual(await ask(`${CHANNEL}:${FILED}:3`), { url: `${cdn}/3/mill.png` });
  });

  for (const [reference, blame] of [
    [`${CHANNEL}:${FILED}:2`, 'content'],
    [`${CHANNEL}:${FILED}:9`, 'content'],
    ['../users:@me:1', 'content'],
    [`${CHANNELS.foreign}:${FILED}:1`, 'recipient'],
  ] as const) {
    it(`says that it cannot be had: ${reference}`, async () => {
      const found = await ask(reference);
      assert.ok('outcome' in found);
      assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame });
    });
  }
});
