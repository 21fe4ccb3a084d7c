import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { messenger } from '../../src/channels/messenger.ts';
import { TOKEN } from '../emulators/graph.ts';
import { openMessenger } from '../emulators/messenger.ts';
import { PEOPLE } from '../emulators/send-api.ts';
import { SEND_API_CASES, SENT, asLink, lengths, testReasons } from './send-api-cases.ts';
import { testChannel } from './suite.ts';

testChannel(messenger, {
  open: openMessenger,
  credentials: {
    token: TOKEN,
    secret: 'canary-of-the-hook',
    consumer_secret: 'canary-of-the-app',
  },
  recipient: PEOPLE.known,
  cases: [
    {
      it: 'says who it is in a header, and that it responds',
      sees: [
        {
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          text: JSON.stringify({
            recipient: { id: PEOPLE.known },
            messaging_type: 'RESPONSE',
            message: { text: 'Good morning!' },
          }),
        },
      ],
      outcome: SENT,
    },
    ...lengths('é'.repeat(2000)),
    asLink('Image', 'a.tiff', 'image/tiff'),
    ...SEND_API_CASES,
    {
      it: 'tells whose page it is, and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/me?fields=name' }],
      outcome: { outcome: 'known', as: 'Example Page' },
    },
  ],
});

testReasons(messenger);

describe('a recipient of messenger', () => {
  it('is all digits', () => {
    assert.equal(messenger.recipient.check('4012345678901234'), undefined);
    for (const id of ['', 'zuck', '+49', '12 34', '-1', '1'.repeat(33)]) {
      assert.equal(typeof messenger.recipient.check(id), 'string', id);
    }
  });
});
