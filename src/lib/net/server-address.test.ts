import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { serverAddress } from './server-address.ts';

const ACCEPTED = {
  'https://chat.example.org': 'https://chat.example.org',
  'https://chat.example.org/': 'https://chat.example.org',
  ' http://CHAT.example.org:8065//': 'http://chat.example.org:8065',
  'https://example.org/chat/': 'https://example.org/chat',
  'http://[2001:db8::1]:8008': 'http://[2001:db8::1]:8008',
};

const REFUSED = [
  '',
  'chat.example.org',
  'ftp://chat.example.org',
  'javascript:alert(1)',
  'https://user@chat.example.org',
  'https://:word@chat.example.org',
  'https://chat.example.org/?team=1',
  'https://app.example.org/#/room',
  'https://',
];

describe('server address', () => {
  for (const [written, address] of Object.entries(ACCEPTED)) {
    it(`${JSON.stringify(written)} becomes ${address}`, () => {
      assert.equal(serverAddress(written), address);
    });
  }

  for (const written of REFUSED) {
    it(`${JSON.stringify(written)} is refused`, () => {
      assert.equal(serverAddress(written), undefined);
    });
  }
});
