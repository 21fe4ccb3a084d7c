import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Chat } from '../../../src/channels/channel.ts';
import { isGuest, newGuest, originsOf, webmessenger } from '../../../src/channels/webmessenger.ts';
import { type Case, type Peer, openContext, testChannel } from '../suite.ts';

/** What the channel asked of the chat. */
interface Put {
  does: 'say' | 'change';
  visitor: string;
  id: string;
  /** What a dry run would have shown. */
  json: unknown;
  mayBegin?: boolean;
}

type ChatPeer = Peer<Put, never> & Chat & { seen: Put[] };

const GUEST = 'guest-Zk3pVb0m8Qx1rT6yNw5sJA';
const SECRET = 'a-fake-identity-key-of-32-bytes-or-more';

/** A chat that knows one guest, and one entry in their conversation. */
function openPeer(): Promise<ChatPeer> {
  const seen: Put[] = [];
  return Promise.resolve({
    url: '',
    seen,
    next: () => assert.fail('it answers by itself'),
    close: () => Promise.resolve(),
    post(visitor, id, json, mayBegin) {
      seen.push({ does: 'say', visitor, id, json, mayBegin });
      return Promise.resolve(visitor === GUEST || mayBegin ? id : undefined);
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
  it: `says at a check that ${address} is no address of sites`,
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
      it: 'says what is said under the key of the part',
      sees: [
        {
          does: 'say',
          visitor: GUEST,
          id: 'message-1-part-1',
          json: { text: [{ text: 'Good morning!' }] },
          mayBegin: false,
        },
      ],
      outcome: SENT,
    },
    {
      it: 'writes looks as data, and markup as text',
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
      it: 'leads nowhere but to what a browser may follow',
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
      it: 'sends a text that is one longer in two',
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
      it: 'sends a picture that stands for another',
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
      it: 'sends buttons that lead somewhere, and buttons that say something',
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
      it: 'answers what a visitor said',
      message: { object: { inReplyTo: `${GUEST}:abc` } },
      sees: [{ json: { reply: `${GUEST}:abc` } }],
      outcome: SENT,
    },
    {
      it: 'knows no guest who has never come',
      message: { recipient: newGuest() },
      credentials: { secret: SECRET },
      sees: [{ mayBegin: false }],
      outcome: { outcome: 'permanent', blame: 'recipient', detail: 'visitor' },
    },
    {
      it: 'writes to a known user who has not come yet, where identities are signed',
      message: { recipient: 'user-7' },
      credentials: { secret: SECRET },
      sees: [{ visitor: 'user-7', mayBegin: true }],
      outcome: SENT,
    },
    {
      it: 'writes to no such user where nobody could sign',
      message: { recipient: 'user-7' },
      outcome: { outcome: 'permanent', blame: 'recipient', detail: 'secret' },
    },
    {
      it: 'changes what was said',
      calls: 'edit',
      earlier: { id: 'there', recipient: GUEST },
      sees: [{ does: 'change', id: 'there', json: { text: [{ text: 'Good morning!' }] } }],
      outcome: { outcome: 'sent', id: 'there' },
    },
    {
      it: 'cannot change what is gone',
      calls: 'edit',
      earlier: { id: 'gone', recipient: GUEST },
      outcome: { outcome: 'permanent', blame: 'unsupported', detail: 'no longer' },
    },
    {
      it: 'takes back what was said',
      calls: 'remove',
      earlier: { id: 'there', recipient: GUEST },
      sees: [{ does: 'change', id: 'there', json: undefined }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot take back what is gone',
      calls: 'remove',
      earlier: { id: 'gone', recipient: GUEST },
      outcome: { outcome: 'permanent', blame: 'unsupported' },
    },
    {
      it: 'is a chat for anybody without a secret',
      calls: 'check',
      outcome: { outcome: 'known', as: 'a chat for anonymous visitors' },
    },
    {
      it: 'is a chat for known visitors too with one',
      calls: 'check',
      credentials: { secret: SECRET, address: 'https://a.example  https://*.b.example:8443' },
      outcome: { outcome: 'known', as: 'a chat for anonymous and known visitors' },
    },
    {
      it: 'says at a check that a secret is too short',
      calls: 'check',
      credentials: { secret: 'fake-and-short' },
      outcome: { outcome: 'permanent', blame: 'credentials', detail: '32 bytes' },
    },
    refusal('www.example.com', /www\.example\.com/),
    refusal('https://a.example/path', /not an origin/),
    refusal("https://a.example; script-src 'unsafe-inline'", /not an origin/),
  ],
});

it('finds no file that is not there', async () => {
  await using context = openContext({ credentials: {}, url: '', chat: await openPeer() });
  const found = await webmessenger.media?.('nothing', context);
  assert.ok(found && 'outcome' in found && found.outcome === 'permanent');
});

it('makes ids of guests that nobody else has', () => {
  const ids = Array.from({ length: 1000 }, () => newGuest());
  assert.equal(new Set(ids).size, 1000);
  assert.ok(ids.every((id) => isGuest(id) && webmessenger.recipient.validate(id) === undefined));
  for (const id of ['guest-', 'guest-short', 'user-7', `x${newGuest()}`]) assert.ok(!isGuest(id));
});

it('lets every site show it, or those that are named, and no other by mistake', () => {
  assert.equal(originsOf(undefined), undefined);
  assert.equal(originsOf('  '), undefined);
  assert.deepEqual(originsOf('https://a.example http://localhost:3000'), [
    'https://a.example',
    'http://localhost:3000',
  ]);
  assert.deepEqual(originsOf("* 'self' https: a.example"), []);
});
