import assert from 'node:assert/strict';

import { signal } from '../../../src/channels/signal/channel.ts';
import { listMember } from '../../../src/lib/json/json-member.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED } from '../../emulators/server/media.ts';
import {
  ACCOUNT,
  BEFORE,
  EDITED,
  FIRST,
  PEERS,
  openSignal,
  refusedAs,
  result,
  resultAs,
  rpcError,
} from '../../emulators/signal.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { KINDS, media, withoutFile } from '../upload-cases.ts';

type SignalCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: BEFORE, recipient: PEERS.number };
const LONGEST = '👋'.repeat(16_384);
const TO = { account: ACCOUNT, recipient: [PEERS.number] };

const sends = (params: object) => ({ path: '/api/v1/rpc', json: { method: 'send', params } });

const refused = (it: string, answer: Reply, outcome: SignalCase['outcome']): SignalCase => ({
  it,
  answers: [answer],
  outcome,
});

const permanent = (blame: 'credentials' | 'recipient' | 'content' | 'unsupported', code: string) =>
  ({ outcome: 'permanent', blame, code }) as const;

const files = (['Image', 'Video', 'Audio', 'Document'] as const).map((type): SignalCase => {
  const name = KINDS[type];
  const { mediaType, bytes } = HOSTED[name];
  return {
    it: `sends a file of type ${type} in the request`,
    message: media(type, { content: 'a *caption*', name: 'a b=ü;.x' }),
    sees: [sends({ ...TO, message: 'a *caption*' })],
    outcome: SENT,
    also(seen) {
      const [uri] = listMember(seen[0]?.json, 'params', 'attachments');
      const base64 = bytes.toString('base64');
      assert.equal(uri, `data:${mediaType};filename=a%20b%3D%C3%BC%3B.x;base64,${base64}`);
    },
  };
});

testChannel(signal, {
  open: openSignal,
  credentials: ({ url }) => ({ address: `${url}/`, username: ACCOUNT, secret: 'user:fake-secret' }),
  recipient: PEERS.number,
  cases: [
    ...Object.entries({
      ...ODD_TEXTS,
      'marks of other products': '*a* _b_ ~c~ `d` [e](f) @all',
      'the longest text': LONGEST,
    }).map(([what, text]): SignalCase => ({
      it: `sends ${what} as it is`,
      message: { text },
      sees: [sends({ ...TO, message: text })],
      outcome: SENT,
    })),
    {
      it: 'sends a text over the limit as two messages',
      message: { text: `${LONGEST}y` },
      sees: [sends({ message: LONGEST }), sends({ message: 'y' })],
      outcome: { outcome: 'sent', id: String(Number(FIRST) + 1) },
    },
    {
      it: 'sends only documented parameters, and the login of a proxy',
      sees: [
        {
          headers: { authorization: `Basic ${Buffer.from('user:fake-secret').toString('base64')}` },
          text: JSON.stringify({
            jsonrpc: '2.0',
            id: '1',
            method: 'send',
            params: { ...TO, message: 'Good morning!' },
          }),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends no login without one',
      credentials: { secret: undefined },
      outcome: SENT,
      also: ([seen]) => assert.equal(seen?.headers['authorization'], undefined),
    },
    {
      it: 'sends styles as ranges in UTF-16 units',
      message: {
        text: '👋 **bold *both*** ~~no~~ `x*y` [here](https://example.com/a) https://example.com/b',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        sends({
          message: '👋 bold both no x*y here (https://example.com/a) https://example.com/b',
          textStyles: [
            '3:5:BOLD',
            '8:4:BOLD',
            '8:4:ITALIC',
            '13:2:STRIKETHROUGH',
            '16:3:MONOSPACE',
          ],
        }),
      ],
      outcome: SENT,
    },
    {
      it: 'sends to a UUID',
      message: { recipient: PEERS.uuid },
      sees: [sends({ account: ACCOUNT, recipient: [PEERS.uuid] })],
      outcome: SENT,
    },
    {
      it: 'sends to a username',
      message: { recipient: PEERS.username },
      sees: [sends({ account: ACCOUNT, username: ['ada_l.01'] })],
      outcome: SENT,
    },
    {
      it: 'sends to a group',
      message: { recipient: PEERS.group },
      sees: [sends({ account: ACCOUNT, groupId: PEERS.group.slice(6) })],
      outcome: SENT,
    },
    ...files,
    ...withoutFile('Image'),
    {
      it: 'lists buttons below the text, because Signal has none',
      message: { text: 'Tea?', object: { attachment: [{ type: 'Button', name: 'Yes' }] } },
      sees: [sends({ message: 'Tea?\n1. Yes' })],
      outcome: SENT,
    },
    {
      it: 'sends without a push notification',
      message: { options: { silent: true } },
      sees: [sends({ message: 'Good morning!', noUrgent: true })],
      outcome: SENT,
    },
    {
      it: 'quotes a received message',
      message: { object: { inReplyTo: `${BEFORE}:${PEERS.uuid}` } },
      sees: [sends({ quoteTimestamp: Number(BEFORE), quoteAuthor: PEERS.uuid })],
      outcome: SENT,
    },
    {
      it: 'quotes a sent message',
      message: { object: { inReplyTo: BEFORE } },
      sees: [sends({ quoteTimestamp: Number(BEFORE), quoteAuthor: ACCOUNT })],
      outcome: SENT,
    },
    {
      it: 'sends without the quotation when the ID cannot be one of Signal',
      message: { object: { inReplyTo: 'm-1' } },
      sees: [sends({ message: 'Good morning!' })],
      outcome: SENT,
    },
    {
      it: 'says how many members of a group did not get a message',
      message: { recipient: PEERS.group },
      answers: [
        result({
          timestamp: Number(FIRST),
          results: [resultAs('SUCCESS'), resultAs('UNREGISTERED_FAILURE')],
        }),
      ],
      outcome: { ...SENT, detail: 'UNREGISTERED_FAILURE' },
    },

    {
      it: 'blames an unregistered recipient',
      message: { recipient: PEERS.unregistered },
      outcome: permanent('recipient', 'UNREGISTERED_FAILURE'),
    },
    {
      it: 'blames an unknown group',
      message: { recipient: `group:${'A'.repeat(43)}=` },
      outcome: permanent('recipient', '-1'),
    },
    {
      it: 'blames the credentials when the daemon does not have the account',
      credentials: { username: '+15550100002' },
      outcome: permanent('credentials', '-32602'),
    },
    refused(
      'blames the recipient for a changed safety number',
      refusedAs(-4, 'IDENTITY_FAILURE'),
      permanent('recipient', 'IDENTITY_FAILURE'),
    ),
    refused(
      'blames the content for other user errors',
      rpcError(-1, 'Invalid style: X'),
      permanent('content', '-1'),
    ),
    refused(
      'blames the content for a refused file',
      rpcError(-32_603, 'Failed to send message: x (AttachmentInvalidException)'),
      permanent('content', '-32603'),
    ),
    refused(
      'waits for the time that Signal states',
      refusedAs(-5, 'RATE_LIMIT_FAILURE', { retryAfterSeconds: 7 }),
      { outcome: 'limited', scope: 'integration', seconds: 7, code: 'RATE_LIMIT_FAILURE' },
    ),
    refused('waits after a rate limit without a time', rpcError(-5, 'Rate limit reached'), {
      outcome: 'limited',
      scope: 'integration',
      code: '-5',
    }),
    refused(
      'retries after a network failure: the message may have been sent',
      refusedAs(-1, 'NETWORK_FAILURE'),
      transient(true, 'NETWORK_FAILURE'),
    ),
    refused(
      'retries after an invalid prekey: the message was not sent',
      refusedAs(-1, 'INVALID_PRE_KEY_FAILURE'),
      transient(false, 'INVALID_PRE_KEY_FAILURE'),
    ),
    refused(
      'retries after an internal error',
      rpcError(-32_603, 'Failed to send message: timeout (IOException)'),
      transient(true, '-32603'),
    ),
    ...([401, 421] as const).map((status) =>
      refused(
        `blames the credentials for ${status}`,
        { status, body: '' },
        permanent('credentials', String(status)),
      ),
    ),
    {
      it: 'sends no request without an account',
      credentials: { username: undefined },
      sees: [],
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },
    ...WITHOUT_ADDRESS,
    ...BEHIND_GATEWAY,
    ...WITHOUT_ANSWER,
    ...WITHOUT_ID,

    {
      it: 'edits a message',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: 'after' },
      sees: [sends({ ...TO, message: 'after', editTimestamp: Number(BEFORE) })],
      outcome: { outcome: 'sent', id: BEFORE, kept: EDITED },
    },
    {
      it: 'edits the last version of an edited message',
      calls: 'edit',
      earlier: { ...EARLIER, id: FIRST, kept: BEFORE },
      sees: [sends({ editTimestamp: Number(BEFORE) })],
      outcome: { outcome: 'sent', id: FIRST, kept: EDITED },
    },
    {
      it: 'cannot edit a message that is too old',
      calls: 'edit',
      earlier: EARLIER,
      answers: [rpcError(-1, 'Failed to edit')],
      outcome: permanent('unsupported', '-1'),
    },
    {
      it: 'deletes a message',
      calls: 'remove',
      earlier: { id: BEFORE, recipient: PEERS.group },
      message: { recipient: PEERS.group },
      sees: [
        {
          json: {
            method: 'remoteDelete',
            params: {
              account: ACCOUNT,
              groupId: PEERS.group.slice(6),
              targetTimestamp: Number(BEFORE),
            },
          },
        },
      ],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete an unknown message',
      calls: 'remove',
      earlier: { ...EARLIER, id: FIRST },
      outcome: permanent('unsupported', '-1'),
    },
    {
      it: 'check: finds the account and sends nothing',
      calls: 'check',
      sees: [{ json: { method: 'listAccounts' } }],
      outcome: { outcome: 'known', as: ACCOUNT },
    },
    {
      it: 'check: accepts a daemon for one account',
      calls: 'check',
      answers: [rpcError(-32_601, 'Method not implemented')],
      outcome: { outcome: 'known', as: 'the only account of the daemon', account: ACCOUNT },
    },
    {
      it: 'check: refuses an account that the daemon does not have',
      calls: 'check',
      credentials: { username: '+15550100002' },
      outcome: { outcome: 'permanent', blame: 'credentials' },
    },
  ],
});
