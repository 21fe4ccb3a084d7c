import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Chat } from '../../../src/channels/channel.ts';
import { isGuest, newGuest, originsOf, webmessenger } from '../../../src/channels/webmessenger.ts';
import { type Case, type Peer, openContext, testChannel } from '../suite.ts';

/** The channel's calls to the chat. */
interface Put {
  does: 'say' | 'change';
  visitor: string;
  id: string;
  /** The dry run. */
  json: unknown;
  mayStart?: boolean;
}

type ChatPeer = Peer<Put, never> & Chat & { seen: Put[] };

const GUEST = 'guest-Zk3pVb0m8Qx1rT6yNw5sJA';
const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';

/** A chat with one guest and one entry in their conversation. */
function openPeer(): Promise<ChatPeer> {
  const seen: Put[] = [];
  return Promise.resolve({
    url: '',
    seen,
    next: () => assert.fail('the chat answers without a vendor'),
    close: () => Promise.resolve(),
    post(visitor, id, json, mayStart) {
      seen.push({ does: 'say', visitor, id, json, mayStart });
      return Promise.resolve(visitor === GUEST || mayStart ? id : undefined);
    },
    update(visitor, id, json) {
      seen.push({ does: 'change', visitor, id, json });
      return Promise.resolve(visitor === GUEST && id === 'there');
    },
    file: () => Promise.resolve(undefined),
  });
}

type ChatCase = Case<Put, never>;

const SENT = { outcome: 'sent', id: 'message-1-part-1' } as const;

const media = (type: 'Image' | 'Video' | 'Audio' | 'Document', kind: string): ChatCase => ({
  it: `sends a ${kind} by its address`,
  message: {
    object: {
      type,
      url: 'https://example.com/a.bin',
      mediaType: 'x/y',
      name: 'A <b>',
      content: 'Look',
    },
  },
  sees: [
    {
      json: {
        media: { kind, url: 'https://example.com/a.bin', mediaType: 'x/y', name: 'A <b>' },
        text: [{ text: 'Look' }],
      },
    },
  ],
  outcome: SENT,
});

const refusal = (address: string, detail: RegExp): ChatCase => ({
  it: `check: rejects ${address} as an origin`,
  calls: 'check',
  credentials: { address },
  outcome: { outcome: 'permanent', blame: 'credentials', detail },
});

testChannel(webmessenger, {
  open: openPeer,
  chat: (peer) => peer as ChatPeer,
  credentials: {},
  recipient: GUEST,
  cases: [
    {
      it: "stores an entry under the part's key",
      sees: [
        {
          does: 'say',
          visitor: GUEST,
          id: 'message-1-part-1',
          json: { text: [{ text: 'Good morning!' }] },
          mayStart: false,
        },
      ],
      outcome: SENT,
    },
    {
      it: 'stores formatting as data and markup as text',
      message: {
        text: '**bold** `<b>` [a](https://example.com/) <script>alert(1)</script>',
        object: { mediaType: 'text/markdown' },
      },
      also([put]) {
        assert.ok(put);
        const { text } = put.json as { text: Record<string, unknown>[] };
        assert.deepEqual(text.slice(0, 5), [
          { text: 'bold', bold: true },
          { text: ' ' },
          { text: '<b>', code: true },
          { text: ' ' },
          { text: 'a', link: 'https://example.com/' },
        ]);
      },
      outcome: SENT,
    },
    {
      it: 'keeps only links that a browser may follow',
      message: {
        text: '[a](https://a.example) [b](javascript:alert(1)) [c](data:text/html,x) [d](mailto:a@b.example)',
        object: { mediaType: 'text/markdown' },
      },
      also([put]) {
        const links = [...JSON.stringify(put?.json).matchAll(/"link":"([^"]*)"/g)];
        assert.deepEqual(
          links.map(([, link]) => link),
          ['https://a.example', 'mailto:a@b.example'],
        );
      },
      outcome: SENT,
    },
    {
      it: 'sends the longest text',
      message: { text: 'x'.repeat(10_000) },
      sees: [{}],
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: 'x'.repeat(10_001) },
      sees: [{}, { json: { text: [{ text: 'x' }] } }],
      outcome: { outcome: 'sent', id: 'message-1-part-1-2' },
    },
    {
      it: 'sends a title',
      message: { object: { name: 'News' } },
      sees: [{ json: { title: 'News' } }],
      outcome: SENT,
    },
    media('Image', 'image'),
    media('Video', 'video'),
    media('Audio', 'audio'),
    media('Document', 'document'),
    {
      it: 'sends an image with a preview',
      message: {
        object: {
          type: 'Image',
          url: 'https://example.com/a.png',
          icon: { type: 'Image', url: 'https://example.com/small.png' },
        },
      },
      sees: [{ json: { media: { preview: 'https://example.com/small.png' } } }],
      outcome: SENT,
    },
    {
      it: 'sends a place',
      message: { object: { type: 'Place', name: 'Here', latitude: 1.5, longitude: -2 } },
      sees: [{ json: { place: { name: 'Here', latitude: 1.5, longitude: -2 } } }],
      outcome: SENT,
    },
    {
      it: 'sends link buttons and value buttons',
      message: {
        object: {
          attachment: [
            { type: 'Button', name: 'Yes' },
            { type: 'Button', name: 'More', url: 'https://example.com/' },
          ],
        },
      },
      sees: [
        { json: { buttons: [{ name: 'Yes' }, { name: 'More', url: 'https://example.com/' }] } },
      ],
      outcome: SENT,
    },
    {
      it: "replies to a visitor's message",
      message: { object: { inReplyTo: `${GUEST}:abc` } },
      sees: [{ json: { reply: `${GUEST}:abc` } }],
      outcome: SENT,
    },
    {
      it: 'blames the recipient when the guest does not exist',
      message: { recipient: newGuest() },
      credentials: { secret: SECRET },
      sees: [{ mayStart: false }],
      outcome: { outcome: 'permanent', blame: 'recipient', detail: 'visitor' },
    },
    {
      it: 'sends to a known user who has not visited yet when identities are signed',
      message: { recipient: 'user-7' },
      credentials: { secret: SECRET },
      sees: [{ visitor: 'user-7', mayStart: true }],
      outcome: SENT,
    },
    {
      it: 'sends to no unvisited user without a secret',
      message: { recipient: 'user-7' },
      outcome: { outcome: 'permanent', blame: 'recipient', detail: 'secret' },
    },
    {
      it: 'edits an entry',
      calls: 'edit',
      earlier: { id: 'there', recipient: GUEST },
      sees: [{ does: 'change', id: 'there', json: { text: [{ text: 'Good morning!' }] } }],
      outcome: { outcome: 'sent', id: 'there' },
    },
    {
      it: 'cannot edit a missing entry',
      calls: 'edit',
      earlier: { id: 'gone', recipient: GUEST },
      outcome: { outcome: 'permanent', blame: 'unsupported', detail: 'no longer' },
    },
    {
      it: 'deletes an entry',
      calls: 'remove',
      earlier: { id: 'there', recipient: GUEST },
      sees: [{ does: 'change', id: 'there', json: undefined }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a missing entry',
      calls: 'remove',
      earlier: { id: 'gone', recipient: GUEST },
      outcome: { outcome: 'permanent', blame: 'unsupported' },
    },
    {
      it: 'check: is a chat for guests without a secret',
      calls: 'check',
      outcome: { outcome: 'known', as: 'a chat for anonymous visitors', account: null },
    },
    {
      it: 'check: is a chat for known visitors too with a secret',
      calls: 'check',
      credentials: { secret: SECRET, address: 'https://a.example  https://*.b.example:8443' },
      outcome: { outcome: 'known', as: 'a chat for anonymous and known visitors', account: null },
    },
    {
      it: 'check: rejects a secret that is too short',
      calls: 'check',
      credentials: { secret: 'fake-and-short' },
      outcome: { outcome: 'permanent', blame: 'credentials', detail: '32 bytes' },
    },
    refusal('www.example.com', /www\.example\.com/),
    refusal('https://a.example/path', /not an origin/),
    refusal("https://a.example; script-src 'unsafe-inline'", /not an origin/),
  ],
});

it('webmessenger reports a missing file', async () => {
  await using context = openContext({ credentials: {}, url: '', chat: await openPeer() });
  const found = await webmessenger.media?.('nothing', context);
  assert.ok(found && 'outcome' in found && found.outcome === 'permanent');
});

it('webmessenger creates unique guest ids', () => {
  const ids = Array.from({ length: 1000 }, () => newGuest());
  assert.equal(new Set(ids).size, 1000);
  assert.ok(ids.every((id) => isGuest(id) && webmessenger.recipient.validate(id) === undefined));
  for (const id of ['guest-', 'guest-short', 'user-7', `x${newGuest()}`]) assert.ok(!isGuest(id));
});

it('webmessenger allows embedding on every site or only on the configured ones', () => {
  assert.equal(originsOf(undefined), undefined);
  assert.equal(originsOf('  '), undefined);
  assert.deepEqual(originsOf('https://a.example http://localhost:3000'), [
    'https://a.example',
    'http://localhost:3000',
  ]);
  assert.deepEqual(originsOf("* 'self' https: a.example"), []);
});
