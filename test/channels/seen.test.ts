import assert from 'node:assert/strict';
import { it } from 'node:test';

import { assertSeen } from './seen.ts';

const REQUEST = {
  method: 'POST',
  path: '/messages',
  headers: { host: '127.0.0.1', authorization: 'Bearer x' },
  text: '{"room":"1","text":"Hi"}',
  json: { room: '1', text: 'Hi' },
};

it('a request that lacks nothing expected passes', () => {
  assertSeen([REQUEST], [{ path: '/messages', json: { text: 'Hi' } }]);
});

it('a failing request lists only the members that differ', () => {
  const expected = { method: 'POST', path: '/message', json: { room: '1', text: 'Ho' } };
  assert.throws(() => assertSeen([REQUEST], [expected]), {
    message: [
      "request 1.path: expected '/message', got '/messages'",
      "request 1.json.text: expected 'Ho', got 'Hi'",
    ].join('\n'),
  });
});

it('a failing body is compared as JSON', () => {
  assert.throws(() => assertSeen([REQUEST], [{ text: '{"room":"1","text":"Ho"}' }]), {
    message: "request 1.text.text: expected 'Ho', got 'Hi'",
  });
});

it('an unexpected number of requests lists each on one line', () => {
  assert.throws(() => assertSeen([REQUEST], []), {
    message: "expected 0 requests, got 1:\n1. POST /messages { room: '1', text: 'Hi' }",
  });
});
