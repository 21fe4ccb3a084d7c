import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isAtHost } from './vendor-host.ts';

describe('vendor host', () => {
  for (const url of [
    'https://example.com/a',
    'https://files.example.com/?b',
    'https://EXAMPLE.com',
  ]) {
    it(`accepts ${url}`, () => assert.equal(isAtHost(url, 'example.org', 'example.com'), true));
  }
  for (const url of [
    'http://example.com/a',
    'https://notexample.com',
    'https://example.com.evil.test',
    'https://example.com@evil.test/',
    'https://user@example.com/',
    'https://example.com:8443/',
    'https://evil.test/example.com',
    '//example.com',
    'example.com',
    '',
  ]) {
    it(`rejects ${url}`, () => assert.equal(isAtHost(url, 'example.com'), false));
  }
});
