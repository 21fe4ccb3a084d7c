import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { describe, it } from 'node:test';

import { SignJWT } from 'jose';

import { googleChat } from '../../../src/channels/google-chat/channel.ts';
import { ignored } from '../../../src/channels/inbound.ts';
import {
  ISSUER,
  KEY_FILE,
  PRIVATE_KEY,
  SIGNER,
  SPACE,
  TOKEN,
  openGoogleChat,
} from '../../emulators/google-chat.ts';
import { find } from '../hook-setup.ts';
import { HOOK_URL, type HookCase, type WebhookRequest, testHook } from '../hooks.ts';
import { assertOutcome, openContext } from '../suite.ts';

/* https://developers.google.com/workspace/chat/interaction-events */

const PROJECT = '1234567890';
const AT = '2026-11-15T10:00:00.093489Z';
const NAME = `${SPACE}/messages/Thread.Message`;
const THREAD = `${SPACE}/threads/Thread`;
const ID = `${NAME}:${THREAD}`;

const user = { name: 'users/12345678901234567890', displayName: 'Ada', type: 'HUMAN' };
const room = { name: SPACE, type: 'ROOM', spaceType: 'SPACE', displayName: 'Engines' };
const direct = { name: SPACE, type: 'DM', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true };

const who = { from: { id: user.name, name: 'Ada' }, answerTo: SPACE } as const;
const at = Date.parse(AT);
const group = { id: SPACE, name: 'Engines' };
const received = { what: 'message', key: `message:${NAME}`, ...who, id: ID, at } as const;

const event = (type: string, more: object) => ({
  body: { type, eventTime: AT, user, space: direct, ...more },
});
const message = (more: object, space: object = direct) =>
  event('MESSAGE', {
    space,
    message: { name: NAME, sender: user, createTime: AT, thread: { name: THREAD }, space, ...more },
  });

const cases: Omit<HookCase, 'answer'>[] = [
  {
    it: 'receives a text in a direct message',
    call: message({ text: 'Good morning! 👋' }),
    inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
  },
  {
    it: 'receives a mention in a space, in its thread, without its own name',
    call: message({ text: '@Example hello', argumentText: ' hello', threadReply: true }, room),
    inboundEvents: [{ ...received, group, text: 'hello', thread: THREAD }],
  },
  {
    it: "receives the quoted message's id",
    call: message({ text: 'Yes.', quotedMessageMetadata: { name: `${SPACE}/messages/a.b` } }),
    inboundEvents: [{ ...received, text: 'Yes.', replyTo: `${SPACE}/messages/a.b` }],
  },
  {
    it: 'receives a command with its name',
    call: message({
      text: '/weather London',
      argumentText: ' London',
      slashCommand: { commandId: '1' },
    }),
    inboundEvents: [{ ...received, text: '/weather London' }],
  },
  {
    it: 'receives uploaded files but no Drive files',
    call: message({
      text: '',
      attachment: [
        {
          name: `${NAME}/attachments/1`,
          contentName: 'mill.png',
          contentType: 'image/png',
          attachmentDataRef: { resourceName: 'Clxz/cGF=' },
          source: 'UPLOADED_CONTENT',
        },
        { contentName: 'mill.gdoc', driveDataRef: { driveFileId: '1' }, source: 'DRIVE_FILE' },
      ],
    }),
    inboundEvents: [
      {
        ...received,
        media: [
          { type: 'Image', reference: 'Clxz/cGF=', mediaType: 'image/png', name: 'mill.png' },
        ],
      },
    ],
  },
  {
    it: 'receives a button press',
    call: event('CARD_CLICKED', {
      space: room,
      message: { name: NAME, sender: { type: 'BOT' }, thread: { name: THREAD }, space: room },
      action: { actionMethodName: 'reply', parameters: [{ key: 'name', value: 'Oh yes' }] },
      common: { invokedFunction: 'reply', parameters: { name: 'Oh yes' } },
    }),
    inboundEvents: [
      {
        what: 'message',
        key: `click:${user.name}:${NAME}:"${AT}"`,
        ...who,
        group,
        at,
        button: { name: 'Oh yes', value: 'Oh yes' },
        replyTo: ID,
        thread: THREAD,
      },
    ],
  },
  {
    it: 'receives a button press in the newer event format',
    call: event('CARD_CLICKED', {
      eventTime: { seconds: 1_691_187_414, nanos: 93_489_000 },
      message: { name: NAME, sender: { type: 'BOT' }, space: direct },
      common: { invokedFunction: 'reply', parameters: { name: 'No', value: 'order-7' } },
    }),
    inboundEvents: [
      {
        what: 'message',
        key: `click:${user.name}:${NAME}:{"seconds":1691187414,"nanos":93489000}`,
        ...who,
        at: 1_691_187_414_000,
        button: { name: 'No', value: 'order-7' },
        replyTo: NAME,
      },
    ],
  },
  {
    it: 'receives a button press at a time beyond 2^53',
    call: {
      body: `{"type":"CARD_CLICKED","eventTime":9223372036854775807,${JSON.stringify({
        user,
        space: direct,
        message: { name: NAME, sender: { type: 'BOT' }, space: direct },
        common: { invokedFunction: 'reply', parameters: { name: 'No' } },
      }).slice(1)}`,
    },
    inboundEvents: [
      {
        what: 'message',
        key: `click:${user.name}:${NAME}:"9223372036854775807"`,
        ...who,
        button: { name: 'No', value: 'No' },
        replyTo: NAME,
      },
    ],
  },
  ...(['join', 'leave'] as const).map((what): HookCase => ({
    it: `receives that a user ${what === 'join' ? 'starts' : 'ends'} a conversation`,
    call: event(what === 'join' ? 'ADDED_TO_SPACE' : 'REMOVED_FROM_SPACE', {}),
    inboundEvents: [{ what, key: `${what}:${SPACE}:"${AT}"`, ...who, at }],
  })),
  {
    it: 'receives the text of the message that added it to a space',
    call: event('ADDED_TO_SPACE', {
      space: room,
      message: { name: NAME, sender: user, text: 'hello', thread: { name: THREAD } },
    }),
    inboundEvents: [{ ...received, group, text: 'hello', thread: THREAD }],
  },
  {
    it: 'ignores its own addition to a space',
    call: event('ADDED_TO_SPACE', { space: room }),
    inboundEvents: ignored('ADDED_TO_SPACE', 'no_event'),
  },
  {
    it: 'ignores messages from other apps',
    call: message({ text: 'Hi', sender: { ...user, type: 'BOT' } }),
    inboundEvents: ignored('MESSAGE', 'bot'),
  },
  {
    it: 'ignores unknown events',
    call: event('APP_HOME', {}),
    inboundEvents: ignored('APP_HOME', 'no_event'),
  },
];

/** All events get the same answer. */
const withAnswer = (each: Omit<HookCase, 'answer'>): HookCase => ({
  ...each,
  answer: { text: '{}', type: 'application/json' },
});

const bearer = async (
  made: WebhookRequest,
  claims: object,
  { key, kid }: Pick<typeof SIGNER, 'key' | 'kid'> = SIGNER,
): Promise<WebhookRequest> => {
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT' })
    .sign(key);
  return { ...made, headers: { ...made.headers, Authorization: `Bearer ${token}` } };
};

testHook(googleChat, {
  credentials: { token: KEY_FILE, username: PROJECT },
  prove: async (call, { username = '' }, now) => {
    const iat = Math.floor(now / 1000);
    return bearer(call, { iss: SIGNER.email, aud: username, iat, exp: iat + 3600 });
  },
  coversBody: false,
  // An hour, plus a minute of clock skew.
  window: 3660,
  open: openGoogleChat,
  cases: cases.map(withAnswer),
});

/* https://developers.google.com/workspace/add-ons/chat/build */

const addOn = (payload: string, more: object, common: object = {}) => ({
  body: {
    commonEventObject: { hostApp: 'CHAT', platform: 'WEB', ...common },
    authorizationEventObject: { systemIdToken: 'fake-token-that-is-not-looked-at' },
    chat: { user, eventTime: AT, [payload]: more },
  },
});
const inSpace = (more: object, space: object) => ({
  space,
  message: { name: NAME, sender: user, createTime: AT, thread: { name: THREAD }, space, ...more },
});

const addOnCases: Omit<HookCase, 'answer'>[] = [
  {
    it: 'receives a text',
    call: addOn('messagePayload', inSpace({ text: 'Good morning! 👋' }, direct)),
    inboundEvents: [{ ...received, text: 'Good morning! 👋' }],
  },
  {
    it: 'receives a mention in a space, in its thread',
    call: addOn(
      'messagePayload',
      inSpace({ text: '@Example hello', argumentText: ' hello' }, room),
    ),
    inboundEvents: [{ ...received, group, text: 'hello', thread: THREAD }],
  },
  {
    it: 'receives a typed command',
    call: addOn('appCommandPayload', {
      appCommandMetadata: { appCommandId: '1', appCommandType: 'SLASH_COMMAND' },
      ...inSpace({ text: '/weather London', argumentText: ' London', slashCommand: {} }, direct),
    }),
    inboundEvents: [{ ...received, text: '/weather London' }],
  },
  {
    it: 'receives a button press',
    call: addOn(
      'buttonClickedPayload',
      { space: direct, message: { name: NAME, sender: { type: 'BOT' }, space: direct } },
      { parameters: { name: 'Oh yes' } },
    ),
    inboundEvents: [
      {
        what: 'message',
        key: `click:${user.name}:${NAME}:"${AT}"`,
        ...who,
        at,
        button: { name: 'Oh yes', value: 'Oh yes' },
        replyTo: NAME,
      },
    ],
  },
  ...(['join', 'leave'] as const).map((what): HookCase => ({
    it: `receives that a user ${what === 'join' ? 'starts' : 'ends'} a conversation`,
    call: addOn(what === 'join' ? 'addedToSpacePayload' : 'removedFromSpacePayload', {
      space: direct,
    }),
    inboundEvents: [{ what, key: `${what}:${SPACE}:"${AT}"`, ...who, at }],
  })),
  {
    it: 'ignores unknown events',
    call: addOn('widgetUpdatedPayload', { space: direct }),
    inboundEvents: ignored('widgetUpdatedPayload', 'no_event'),
  },
];

/** ID tokens as Google issues them: for the URL, to the calling account. */
const idClaims = (email: string, now: number) => {
  const iat = Math.floor(now / 1000);
  const times = { iat, exp: iat + 3600 };
  return { iss: ISSUER.iss, aud: HOOK_URL, sub: '1', email, email_verified: true, ...times };
};
const agentOf = (project: string) =>
  `service-${project}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`;

describe('google-chat as a Workspace add-on', () => {
  testHook(googleChat, {
    credentials: { token: KEY_FILE, username: PROJECT },
    prove: async (call, { username = '' }, now) =>
      bearer(call, idClaims(agentOf(username), now), ISSUER),
    coversBody: false,
    window: 3660,
    open: openGoogleChat,
    cases: addOnCases.map(withAnswer),
  });
});

const OWN = { key: createPrivateKey(PRIVATE_KEY), kid: SIGNER.kid };

describe('google-chat with the URL as its audience', () => {
  const verdict = async (claims: object, signer: Pick<typeof SIGNER, 'key' | 'kid'> = ISSUER) => {
    const peer = await openGoogleChat();
    await using context = openContext({ credentials: { username: PROJECT }, url: peer.url });
    const now = context.clock.now();
    const made = { method: 'POST', path: '', query: {}, headers: {}, body: Buffer.from('{}') };
    const { headers } = await bearer(made, { ...idClaims(SIGNER.email, now), ...claims }, signer);
    const header = (name: string) => (name === 'authorization' ? headers['Authorization'] : '');
    const call = { ...made, url: HOOK_URL, query: new URLSearchParams(), header };
    try {
      return await googleChat.hook?.verify(call, context);
    } finally {
      await peer.close();
    }
  };

  it("accepts requests from Chat and from its own project's add-on", async () => {
    assert.equal(await verdict({}), undefined);
    assert.equal(await verdict({ email: agentOf(PROJECT) }), undefined);
  });

  it('refuses tokens of other accounts, projects and addresses', async () => {
    assert.ok(await verdict({ email: 'somebody@example.com' }));
    assert.ok(await verdict({ email: agentOf('999') }));
    assert.ok(await verdict({ email_verified: false }));
    assert.ok(await verdict({ email: undefined }));
    assert.ok(await verdict({ aud: `${HOOK_URL}x` }));
    assert.ok(await verdict({ aud: PROJECT }));
    assert.ok(await verdict({}, SIGNER));
    assert.ok(await verdict({}, OWN));
    assert.ok(await verdict({ iss: SIGNER.email }));
  });
});

describe('google-chat with forged requests', () => {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: SIGNER.email, aud: PROJECT, iat, exp: iat + 3600 };
  const made: WebhookRequest = {
    method: 'POST',
    path: '',
    query: {},
    headers: {},
    body: Buffer.from('{}'),
  };

  for (const [why, forge] of [
    ['with a key of their own', () => bearer(made, claims, OWN)],
    ['issued by another service', () => bearer(made, { ...claims, iss: 'https://example.com' })],
    ['signed by any service account', () => bearer(made, { ...claims, iss: `a-${SIGNER.email}` })],
    [
      'with another audience',
      () => bearer(made, { ...claims, aud: 'https://switchboard.example' }),
    ],
  ] as const) {
    it(`refuses a request ${why}`, async () => {
      const { headers } = await forge();
      const peer = await openGoogleChat();
      await using context = openContext({ credentials: { username: PROJECT }, url: peer.url });
      try {
        const query = new URLSearchParams();
        const header = (name: string) => (name === 'authorization' ? headers['Authorization'] : '');
        const call = { ...made, url: '', query, header };
        assert.ok(await googleChat.hook?.verify(call, context));
      } finally {
        await peer.close();
      }
    });
  }
});

describe('google-chat file download', () => {
  const findFile = async (credentials: object) =>
    find(googleChat, 'Clxz/cG F=', { open: openGoogleChat, credentials });

  it('returns the address and the authorization header', async () => {
    const { found, url } = await findFile({ token: TOKEN });
    assert.deepEqual(found, {
      url: `${url}/media/Clxz/cG%20F%3D?alt=media`,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  it('requests a token as a service account', async () => {
    const { found } = await findFile({ token: KEY_FILE });
    assert.partialDeepStrictEqual(found, { headers: { authorization: 'Bearer fake-token-1' } });
  });

  it('reports that a webhook cannot fetch files', async () => {
    const address = `https://chat.googleapis.com/v1/${SPACE}/messages?key=fake&token=fake`;
    const { found } = await findFile({ address });
    assert.ok('outcome' in found);
    assertOutcome(found, { outcome: 'permanent', blame: 'credentials', detail: 'webhook' });
  });
});
