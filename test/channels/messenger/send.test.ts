import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { messenger } from '../../../src/channels/messenger.ts';
import { TOKEN, graphError } from '../../emulators/meta/graph.ts';
import { openMessenger } from '../../emulators/meta/messenger.ts';
import { PEOPLE } from '../../emulators/meta/send-api.ts';
import {
  SEND_API_CASES,
  SENT,
  type SendApiCase,
  asLink,
  lengths,
  testReasons,
} from '../meta/send-api-cases.ts';
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
    {
      it: 'answers as a human agent whom a response cannot reach any more',
      credentials: { username: 'HUMAN_AGENT' },
      message: { recipient: PEOPLE.silent },
      sees: [
        { json: { messaging_type: 'RESPONSE' } },
        { json: { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' } },
      ],
      outcome: SENT,
    },
    {
      it: 'needs no tag while a response reaches the person',
      credentials: { username: 'HUMAN_AGENT' },
      sees: [{ json: { messaging_type: 'RESPONSE' } }],
      outcome: SENT,
      also: ([seen]) => assert.doesNotMatch(seen?.text ?? '', /HUMAN_AGENT/),
    },
    {
      it: 'blames the recipient when a human agent is too late as well',
      credentials: { username: 'HUMAN_AGENT' },
      message: { recipient: PEOPLE.silent },
      answers: [1, 2].map(() =>
        graphError(10, 'outside of allowed window', { status: 403, subcode: 2_018_278 }),
      ),
      sees: [{}, {}],
      outcome: { outcome: 'permanent', blame: 'recipient', code: '10/2018278' },
    },
    ...['ACCOUNT_UPDATE', 'CONFIRMED_EVENT_UPDATE', 'POST_PURCHASE_UPDATE'].map(
      (username): SendApiCase => ({
        it: `asks nobody about the tag ${username}, which is retired`,
        credentials: { username },
        sees: [],
        outcome: { outcome: 'permanent', blame: 'credentials' },
      }),
    ),
    ...lengths('é'.repeat(2000)),
    asLink('Image', 'a.tiff', 'image/tiff'),
    ...SEND_API_CASES,
    {
      it: 'sends a button that dials',
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
      it: 'lists a number without its country code',
      message: {
        text: 'Questions?',
        object: { attachment: [{ type: 'Button', name: 'Call', url: 'tel:0800-1' }] },
      },
      sees: [{ json: { message: { text: 'Questions?\n1. Call: 0800-1' } } }],
      outcome: SENT,
    },
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
    assert.equal(messenger.recipient.validate('4012345678901234'), undefined);
    for (const id of ['', 'zuck', '+49', '12 34', '-1', '1'.repeat(33)]) {
      assert.equal(typeof messenger.recipient.validate(id), 'string', id);
    }
  });
});
