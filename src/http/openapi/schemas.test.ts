import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Value } from 'typebox/value';

import { WebUrl } from './schemas.ts';

describe('a web address', () => {
  for (const url of [
    'https://a.example',
    'HTTP://a.example:8080/b?c=%20#d',
    'https://ä.example/日',
  ]) {
    it(`a web address may be ${url}`, () => assert.ok(Value.Check(WebUrl, url)));
  }

  for (const url of [
    'ftp://a.example',
    'https://',
    ' https://a.example',
    'https://a.example/b c',
    'https://a.example/\nb',
    'https://a.example/\u0000',
    'https://a.example/\u2028',
  ]) {
    it(`a web address cannot be ${JSON.stringify(url)}`, () =>
      assert.ok(!Value.Check(WebUrl, url)));
  }
});
