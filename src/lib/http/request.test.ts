import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FetchFault } from './fetch.ts';
import { prepareRequest } from './request.ts';

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

describe('request header', () => {
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
    it(`refuses the name ${JSON.stringify(name)}`, () => {
      const { message, maybeSent } = refusal(name, 'y');
      assert.ok(message.length > 0);
      assert.doesNotMatch(message, /canary|[\r\n\0]/);
      assert.equal(maybeSent, false);
    });
  }

  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'upgrade']) {
    it(`refuses ${name}, which the HTTP client sets`, () => {
      assert.match(refusal(name, '1').message, new RegExp(name, 'i'));
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
    'canary \u010a', // its lower byte is a line feed
    'canary \ud83d\ude00',
  ]) {
    it(`refuses the value ${JSON.stringify(value)}`, () => {
      const { message, maybeSent } = refusal('authorization', value);
      assert.match(message, /authorization/);
      assert.doesNotMatch(message, /canary/);
      assert.equal(maybeSent, false);
    });
  }

  it('request header is sent if valid', () => {
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

describe('request URL', () => {
  it('errors show its host only', () => {
    const { host, origin, path } = prepareRequest(URL, {});
    assert.deepEqual(
      { host, origin, path },
      { host: 'api.example', origin: 'https://api.example', path: '/bot-canary/send?key=canary' },
    );
  });

  it('request URL is refused without repeating it if invalid or with a password', () => {
    for (const url of [
      'canary',
      'ftp://canary/',
      'https://canary@api.example/',
      'https://:canary@api.example/',
    ]) {
      assert.throws(
        () => prepareRequest(url, {}),
        ({ message, maybeSent }: FetchFault) => !/canary/.test(message) && !maybeSent,
      );
    }
  });
});
