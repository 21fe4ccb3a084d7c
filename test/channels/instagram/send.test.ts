import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { instagram } from '../../../src/channels/instagram.ts';
import { FetchFault } from '../../../src/lib/http/fetch.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { ACCOUNT_TOKEN, openInstagram } from '../../emulators/meta/instagram.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import { SEND_API_CASES, SENT, asLink, lengths, testReasons } from '../meta/send-api-cases.ts';
import { openContext, testChannel } from '../suite.ts';

testChannel(instagram, {
  open: openInstagram,
  credentials: {
    token: ACCOUNT_TOKEN,
    secret: 'canary-of-the-hook',
    consumer_secret: 'canary-of-the-app',
  },
  recipient: PEOPLE.known,
  cases: [
    ...[ACCOUNT_TOKEN, TOKEN].map((token) => ({
      it: `authenticates in a header: ${token.slice(0, 2)}`,
      credentials: { token },
      sees: [
        {
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          text: JSON.stringify({
            recipient: { id: PEOPLE.known },
            message: { text: 'Good morning!' },
          }),
        },
      ],
      outcome: SENT,
    })),
    {
      it: 'sends as a human agent outside the messaging window',
      message: { recipient: PEOPLE.silent, options: { human_agent: true } },
      sees: [{}, { json: { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' } }],
      outcome: SENT,
    },
    {
      it: 'sends no tag inside the messaging window',
      message: { options: { human_agent: true } },
      sees: [{ json: { message: { text: 'Good morning!' } } }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /HUMAN_AGENT/),
    },
    ...lengths('é'.repeat(500)),
    asLink('Image', 'a.webp', 'image/webp'),
    asLink('Video', 'a.3gp', 'video/3gpp'),
    asLink('Audio', 'a.mp3', 'audio/mpeg'),
    asLink('Document', 'a.zip', 'application/zip'),
    asLink('Document', 'a.zip?of=a.pdf.zip'),
    ...SEND_API_CASES,
    {
      it: 'check: names the account and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/me?fields=username' }],
      outcome: { outcome: 'known', as: '@example' },
    },
    {
      it: 'check: names the page',
      calls: 'check',
      credentials: { token: TOKEN },
      sees: [{ method: 'GET', path: '/me?fields=name' }],
      outcome: { outcome: 'known', as: 'Example Page' },
    },
  ],
});

describe('the API host of instagram', () => {
  for (const [token, host] of [
    [ACCOUNT_TOKEN, 'graph.instagram.com'],
    [TOKEN, 'graph.facebook.com'],
  ] as const) {
    it(`the API host of instagram is ${host} for a token like ${token.slice(0, 4)}`, async () => {
      await using context = openContext({ credentials: { token }, url: instagram.url ?? '' });
      const hosts: string[] = [];
      const fetch = (url: string) => {
        hosts.push(new URL(url).host);
        return Promise.reject(new FetchFault('no request is expected', false));
      };
      const message = { key: 'key', recipient: PEOPLE.known, json: '{}', options: {} };
      const send = async () => instagram.send?.({ body: {} }, message, { ...context, fetch });
      await assert.rejects(send(), FetchFault);
      assert.deepEqual(hosts, [host]);
    });
  }
});

testReasons(instagram);

describe('instagram recipients', () => {
  it('a recipient must be all digits', () => {
    assert.equal(instagram.recipient.validate('1784140123456789'), undefined);
    for (const id of ['', '@example', '+49', '12 34', '1'.repeat(33)]) {
      assert.equal(typeof instagram.recipient.validate(id), 'string', id);
    }
  });
});
