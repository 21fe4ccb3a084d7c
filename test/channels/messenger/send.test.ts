import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { messenger } from '../../../src/channels/messenger.ts';
import { TOKEN, graphError } from '../../emulators/meta/graph.ts';
import { openMessenger } from '../../emulators/meta/messenger.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import { SEND_API_CASES, SENT, asLink, lengths, testReasons } from '../meta/send-api-cases.ts';
import { testChannel } from '../suite.ts';

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
      it: 'authenticates in a header and sends as a response',
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
    {
      it: 'sends as a human agent outside the messaging window',
      message: { recipient: PEOPLE.silent, options: { human_agent: true } },
      sees: [
        { json: { messaging_type: 'RESPONSE' } },
        { json: { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' } },
      ],
      outcome: SENT,
    },
    {
      it: 'sends no tag inside the messaging window',
      message: { options: { human_agent: true } },
      sees: [{ json: { messaging_type: 'RESPONSE' } }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /HUMAN_AGENT/),
    },
    {
      it: 'blames the recipient when the human agent window has passed too',
      message: { recipient: PEOPLE.silent, options: { human_agent: true } },
      answers: [1, 2].map(() =>
        graphError(10, 'outside of allowed window', { status: 403, subcode: 2_018_278 }),
      ),
      sees: [{}, {}],
      outcome: { outcome: 'permanent', blame: 'window_closed', code: '10/2018278' },
    },
    {
      it: 'sends silently',
      message: { options: { silent: true } },
      sees: [{ json: { notification_type: 'SILENT_PUSH' } }],
      outcome: SENT,
    },
    ...lengths('é'.repeat(2000)),
    asLink('Image', 'a.tiff', 'image/tiff'),
    ...SEND_API_CASES,
    {
      it: 'sends a phone button',
      message: {
        text: 'Questions?',
        object: { attachment: [{ type: 'Button', name: 'Call', url: 'tel:+1-555-0100' }] },
      },
      sees: [
        {
          json: {
            message: {
              attachment: {
                payload: {
                  buttons: [{ type: 'phone_number', title: 'Call', payload: '+15550100' }],
                },
              },
            },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'lists a phone number without a country code',
      message: {
        text: 'Questions?',
        object: { attachment: [{ type: 'Button', name: 'Call', url: 'tel:0800-1' }] },
      },
      sees: [{ json: { message: { text: 'Questions?\n1. Call: 0800-1' } } }],
      outcome: SENT,
    },
    {
      it: 'check: names the page and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/me?fields=name' }],
      outcome: { outcome: 'known', as: 'Example Page' },
    },
  ],
});

testReasons(messenger);

describe('messenger recipients', () => {
  it('a recipient must be all digits', () => {
    assert.equal(messenger.recipient.validate('4012345678901234'), undefined);
    for (const id of ['', 'zuck', '+49', '12 34', '-1', '1'.repeat(33)]) {
      assert.equal(typeof messenger.recipient.validate(id), 'string', id);
    }
  });
});
