import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';

import { ignored } from '../../../src/channels/inbound.ts';
import { webex } from '../../../src/channels/webex/channel.ts';
import { FetchFault } from '../../../src/lib/http/fetch.ts';
import {
  BEFORE,
  BOT,
  DIRECT_ROOM,
  EMAIL,
  PERSON,
  ROOM,
  TOKEN,
  actionId,
  openWebex,
  webexError,
  webexId,
} from '../../emulators/webex.ts';
import { find, register } from '../hook-setup.ts';
import { HOOK_URL, testHook } from '../hooks.ts';
import { openContext } from '../suite.ts';

const CREATED = '2026-11-17T12:00:00.000Z';
const at = Date.parse(CREATED);
const FILE = 'https://webexapis.com/v1/contents/Y29udGVudA';
const credentials = { token: TOKEN, secret: 'fake-webhook-secret' };

/** The ids of a message, as Webex sends them to the webhook. */
const idsOf = (name: string, more: object = {}) => ({
  id: webexId('MESSAGE', name),
  roomId: ROOM,
  roomType: 'group',
  personId: PERSON,
  personEmail: EMAIL,
  created: CREATED,
  ...more,
});
const direct = { roomId: DIRECT_ROOM, roomType: 'direct' };

const MESSAGES = [
  idsOf('text', { ...direct, text: 'Good morning! 👋' }),
  idsOf('mention', { text: 'Bot hi', html: '<p><spark-mention>Bot</spark-mention> hi</p>' }),
  idsOf('markdown', { text: 'hi', markdown: '**hi**', html: '<b>hi</b>' }),
  idsOf('file', { ...direct, files: [FILE] }),
  idsOf('voice', { ...direct, files: [FILE], isVoiceClip: true }),
  idsOf('reply', { text: 'yes', parentId: BEFORE }),
  idsOf('edited', { ...direct, text: 'after', updated: '2026-11-17T12:01:00.000Z' }),
  idsOf('card', { attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }] }),
  idsOf('anonymous', { text: 'Boo', personId: undefined }),
];

/** Submitted cards with what Webex documents, but not all of it. */
const ACTIONS = {
  anonymous: { inputs: { name: 'Yes', value: 'tea=1' }, roomId: ROOM },
  empty: { personId: PERSON, roomId: ROOM },
};
const incomplete = (name: keyof typeof ACTIONS) => webexId('ATTACHMENT_ACTION', name);

const open = () =>
  openWebex({
    ...Object.fromEntries(MESSAGES.map((each) => [`/messages/${each.id}`, each])),
    ...Object.fromEntries(
      (['anonymous', 'empty'] as const).map((name) => {
        const id = incomplete(name);
        return [`/attachment/actions/${id}`, { id, type: 'submit', ...ACTIONS[name] }];
      }),
    ),
  });

const report = (resource: string, event: string, data: object, more: object = {}) => ({
  body: {
    id: webexId('WEBHOOK', '1'),
    name: 'Switchboard',
    targetUrl: HOOK_URL,
    resource,
    event,
    orgId: webexId('ORGANIZATION', '1'),
    createdBy: BOT,
    appId: webexId('APPLICATION', '1'),
    ownedBy: 'creator',
    status: 'active',
    created: '2026-11-01T12:00:00.000Z',
    actorId: PERSON,
    data,
    ...more,
  },
});
const message = (name: string, event = 'created') => report('messages', event, idsOf(name));
const from = { id: PERSON, otherAddresses: [EMAIL] };
const received = (name: string) =>
  ({
    what: 'message',
    key: webexId('MESSAGE', name),
    id: webexId('MESSAGE', name),
    from,
    at,
  }) as const;
const group = { id: ROOM };

const press = actionId({ name: 'Yes', value: 'tea=1' }, 1);
const form = actionId({ comment: 'Hi' }, 2);
const member = (more: object) => ({
  id: webexId('MEMBERSHIP', '1'),
  roomId: ROOM,
  roomType: 'group',
  personId: PERSON,
  personEmail: EMAIL,
  personDisplayName: 'Julie',
  created: CREATED,
  ...more,
});

testHook(webex, {
  credentials,
  open,
  prove: (made, { secret = '' }) => {
    const signature = createHmac('sha1', secret).update(made.body).digest('hex');
    return { ...made, headers: { ...made.headers, 'X-Spark-Signature': signature } };
  },
  coversBody: true,
  cases: [
    {
      it: 'receives a text from a person',
      call: message('text'),
      inboundEvents: [{ ...received('text'), text: 'Good morning! 👋' }],
    },
    {
      it: 'receives a message in a group with the mention of the bot',
      call: message('mention'),
      inboundEvents: [
        {
          ...received('mention'),
          group,
          text: '<p><spark-mention>Bot</spark-mention> hi</p>',
          mediaType: 'text/html',
        },
      ],
    },
    {
      it: 'receives Markdown as it was written',
      call: message('markdown'),
      inboundEvents: [
        { ...received('markdown'), group, text: '**hi**', mediaType: 'text/markdown' },
      ],
    },
    {
      it: 'receives a file without a text',
      call: message('file'),
      inboundEvents: [{ ...received('file'), media: [{ type: 'Document', reference: FILE }] }],
    },
    {
      it: 'receives a voice clip',
      call: message('voice'),
      inboundEvents: [{ ...received('voice'), media: [{ type: 'Audio', reference: FILE }] }],
    },
    {
      it: 'receives a reply in a thread',
      call: message('reply'),
      inboundEvents: [
        { ...received('reply'), group, text: 'yes', replyTo: BEFORE, thread: BEFORE },
      ],
    },
    {
      it: 'receives an edit',
      call: message('edited', 'updated'),
      inboundEvents: [
        {
          ...received('edited'),
          what: 'edit',
          key: `edit:${webexId('MESSAGE', 'edited')}:2026-11-17T12:01:00.000Z`,
          at: at + 60_000,
          text: 'after',
        },
      ],
    },
    {
      it: 'receives a deletion',
      call: message('text', 'deleted'),
      inboundEvents: [
        {
          what: 'deletion',
          key: `deleted:${webexId('MESSAGE', 'text')}`,
          id: webexId('MESSAGE', 'text'),
          from: { id: PERSON },
          group,
        },
      ],
    },
    {
      it: 'receives a pressed button in a group',
      call: report('attachmentActions', 'created', { id: press, type: 'submit', roomId: ROOM }),
      inboundEvents: [
        {
          what: 'message',
          key: press,
          from: { id: PERSON },
          button: { name: 'Yes', value: 'tea=1' },
          at,
          group: { id: ROOM, name: 'Engines' },
          replyTo: BEFORE,
        },
      ],
    },
    {
      it: 'receives the form of a card from another program',
      call: report('attachmentActions', 'created', { id: form, type: 'submit', roomId: ROOM }),
      inboundEvents: [
        {
          what: 'message',
          key: form,
          from: { id: PERSON },
          button: { name: '{"comment":"Hi"}', value: '{"comment":"Hi"}' },
          at,
          group: { id: ROOM, name: 'Engines' },
          replyTo: BEFORE,
        },
      ],
    },
    ...(['created', 'deleted'] as const).map((event) => ({
      it: `receives a membership that was ${event}`,
      call: report('memberships', event, member({})),
      inboundEvents: [
        {
          what: event === 'created' ? ('join' as const) : ('leave' as const),
          key: `${event === 'created' ? 'join' : 'leave'}:${webexId('MEMBERSHIP', '1')}`,
          from: { id: PERSON, name: 'Julie', otherAddresses: [EMAIL] },
          group,
          ...(event === 'created' && { at }),
        },
      ],
    })),
    {
      it: 'joins a group when somebody adds the bot',
      call: report('memberships', 'created', member({ personId: BOT })),
      inboundEvents: [
        { what: 'join', key: `join:${webexId('MEMBERSHIP', '1')}`, from: group, at, group },
      ],
    },
    {
      it: 'reports the person who starts a direct conversation',
      call: report('memberships', 'created', member({ ...direct, personId: BOT })),
      inboundEvents: [
        { what: 'join', key: `join:${webexId('MEMBERSHIP', '1')}`, from: { id: PERSON }, at },
      ],
    },
    {
      it: 'ignores the second report of a direct conversation',
      call: report('memberships', 'created', member(direct)),
      inboundEvents: ignored('memberships.created', 'no_change'),
    },
    {
      it: 'ignores a direct conversation that the bot starts itself',
      call: report('memberships', 'created', member({ ...direct, personId: BOT }), {
        actorId: BOT,
      }),
      inboundEvents: ignored('memberships.created', 'own'),
    },
    {
      it: 'ignores its own messages without fetching them',
      call: report('messages', 'created', idsOf('own', { personId: BOT })),
      inboundEvents: ignored('messages.created', 'own'),
    },
    {
      it: 'ignores a message that was deleted in the meantime',
      call: message('gone'),
      inboundEvents: ignored('messages.created', 'no_content'),
    },
    {
      it: 'ignores a message with only a card',
      call: message('card'),
      inboundEvents: ignored('messages.created', 'no_content'),
    },
    {
      it: 'ignores the deletion of its own messages',
      call: report('messages', 'deleted', idsOf('own', { personId: BOT })),
      inboundEvents: ignored('messages.deleted', 'own'),
    },
    {
      it: 'ignores the deletion of a message by nobody',
      call: report('messages', 'deleted', idsOf('text', { personId: undefined }), {
        actorId: undefined,
      }),
      inboundEvents: ignored('messages.deleted', 'incomplete'),
    },
    {
      it: 'ignores a report with the id of nothing',
      call: report('messages', 'created', { ...idsOf('text'), id: 'not-an-id' }),
      inboundEvents: ignored('messages.created', 'incomplete'),
    },
    ...(['created', 'updated'] as const).map((event) => ({
      it: `ignores a message by nobody that was ${event}`,
      call: message('anonymous', event),
      inboundEvents: ignored(`messages.${event}`, 'incomplete'),
    })),
    {
      it: 'ignores a submitted card that was deleted in the meantime',
      call: report('attachmentActions', 'created', { id: webexId('ATTACHMENT_ACTION', 'gone') }),
      inboundEvents: ignored('attachmentActions.created', 'no_content'),
    },
    ...(['anonymous', 'empty'] as const).map((name) => ({
      it: `ignores an incomplete submitted card: ${name}`,
      call: report('attachmentActions', 'created', { id: incomplete(name) }),
      inboundEvents: ignored('attachmentActions.created', 'incomplete'),
    })),
    ...(['created', 'deleted'] as const).map((event) => ({
      it: `ignores a membership of nobody that was ${event}`,
      call: report('memberships', event, member({ personId: undefined })),
      inboundEvents: ignored(`memberships.${event}`, 'incomplete'),
    })),
    {
      it: 'ignores reports about rooms',
      call: report('rooms', 'updated', { id: ROOM }),
      inboundEvents: ignored('rooms.updated', 'no_event'),
    },
  ],
});

describe('webex webhook', () => {
  for (const status of [401, 429, 500]) {
    it(`a webex webhook request is not accepted when the message cannot be fetched: ${status}`, async () => {
      const peer = await open();
      await using context = openContext({ credentials, url: peer.url });
      peer.next(webexError(status, 'because'));
      const body = Buffer.from(JSON.stringify(message('text').body));
      const call = { method: 'POST', url: HOOK_URL, path: '', query: new URLSearchParams(), body };
      const parsed = webex.hook?.parse({ ...call, header: () => undefined }, context);
      await assert.rejects(Promise.resolve(parsed), FetchFault);
      await peer.close();
    });
  }

  it('registers a webhook for each kind of event and stores its secret', async () => {
    const result = await register(webex, { open, credentials: { token: TOKEN } });
    const [{ secret } = {}] = result.renewed;
    assert.deepEqual(result.outcome, { outcome: 'known', as: '6 webhooks' });
    assert.ok(secret);
    const made = result.seen.filter(({ method }) => method === 'POST').map(({ json }) => json);
    assert.deepEqual(
      made.map((each) => {
        const { resource, event, ...rest } = Object(each) as Record<string, string>;
        assert.deepEqual([rest['targetUrl'], rest['secret']], [HOOK_URL, secret]);
        return `${resource} ${event}`;
      }),
      [
        'messages created',
        'messages updated',
        'messages deleted',
        'attachmentActions created',
        'memberships created',
        'memberships deleted',
      ],
    );
  });

  it('replaces the webhooks that were registered before, and no others', async () => {
    const old = webexId('WEBHOOK', 'old');
    const items = [
      { id: old, targetUrl: HOOK_URL },
      { id: webexId('WEBHOOK', 'other'), targetUrl: 'https://other.example' },
    ];
    const answers = [{ status: 200, body: { items } }];
    const { seen, renewed } = await register(webex, { open, credentials, answers });
    assert.deepEqual(renewed, []);
    assert.deepEqual(
      seen.filter(({ method }) => method === 'DELETE').map(({ path }) => path),
      [`/webhooks/${old}`],
    );
    assert.equal(seen.at(-1)?.method, 'DELETE');
  });

  it('registration reports an invalid token', async () => {
    const { outcome } = await register(webex, { open, credentials: { token: 'fake' } });
    assert.partialDeepStrictEqual(outcome, { outcome: 'permanent', blame: 'credentials' });
  });
});

describe('webex files', () => {
  it('webex files are fetched from Webex with the token', async () => {
    await using context = openContext({ credentials, url: 'https://webexapis.com/v1' });
    assert.deepEqual(await webex.media?.(FILE, context), {
      url: FILE,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
  });

  it('webex files are not fetched from elsewhere, where the token would leak', async () => {
    const { found } = await find(webex, 'https://other.example/v1/contents/1', {
      open,
      credentials,
    });
    assert.partialDeepStrictEqual(found, { outcome: 'permanent', blame: 'content' });
  });
});
