import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FetchFault } from './fetch.ts';
import { prepareRequest } from './outgoing-request.ts';

const URL = 'https://api.example/bot-canary/send?key=canary';

function refusal(name: string, value: string): FetchFault {
  try {
    prepareRequest(URL, { headers: { [name]: value } });
  } catch (error) {
    assert.ok(error instanceof FetchFault);
    return error;
  }
  assert.fail(`${JSON.stringify({ [name]: value })} was taken`);
}

describe('a header', () => {
  for (const name of [
    '',
    ' ',
    'x y',
    'x:',
    'x\r\ny',
    'x\n',
    'x\0',
    'é',
    'x"',
    '(x)',
    'x\t',
    ':path',
    '日本',
  ]) {
    it(`cannot be named ${JSON.stringify(name)}`, () => {
      const { message, perhapsSent } = refusal(name, 'y');
      assert.match(message, /^a header cannot be named /);
      assert.doesNotMatch(message, /canary|[\r\n\0]/);
      assert.equal(perhapsSent, false);
    });
  }

  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'upgrade']) {
    it(`cannot be ${name}, which is the connection's own`, () => {
      assert.match(refusal(name, '1').message, /^a header cannot be named /);
    });
  }

  for (const value of [
    'canary\r\nx-injected: 1',
    'canary\n',
    '\rcanary',
    'canary\0',
    'canary\u007f',
    'canary\u0001',
    'canary €',
    'canary 日本',
    'canary \u010a', // whose lower byte is a line feed
    'canary \ud83d\ude00',
  ]) {
    it(`cannot have the value ${JSON.stringify(value)}`, () => {
      const { message, perhapsSent } = refusal('authorization', value);
      assert.equal(message, 'the value of the header authorization has characters it cannot have');
      assert.equal(perhapsSent, false);
    });
  }

  it('is passed on when it can be one', () => {
    const { headers } = prepareRequest(URL, {
      headers: { 'X-Any': 'a\tb é ~', Authorization: 'Bearer x', 'User-Agent': 'Mine' },
    });
    assert.deepEqual(headers, {
      'x-any': 'a\tb é ~',
      authorization: 'Bearer x',
      'user-agent': 'Mine',
      'accept-encoding': 'identity',
    });
  });
});

describe('what is told of a URL', () => {
  it('is its host and no more', () => {
    const { host, origin, path } = prepareRequest(URL, {});
    assert.deepEqual(
      { host, origin, path },
      { host: 'api.example', origin: 'https://api.example', path: '/bot-canary/send?key=canary' },
    );
  });

  it('is nothing when it is none, or has a password', () => {
    for (const [url, message] of [
      ['canary', 'the URL is none'],
      ['ftp://canary/', 'the URL must begin with http:// or https://'],
      ['https://canary@api.example/', 'the URL must not hold a user name or password'],
      ['https://:canary@api.example/', 'the URL must not hold a user name or password'],
    ] as const) {
      assert.throws(() => prepareRequest(url, {}), { message, perhapsSent: false });
    }
  });
});
