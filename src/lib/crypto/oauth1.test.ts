import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type Parameters, authorizeRequest, baseString, signature } from './oauth1.ts';

/* Example keys and signatures from RFC 5849, section 1.2, and from X's page on creating a signature. */

const CONSUMER = 'kd94hf93k423kf44';

const oauth = (parameters: Record<string, string>): Parameters =>
  Object.entries(parameters).map(([name, value]) => [`oauth_${name}`, value] as const);

const common = (timestamp: string, nonce: string) => ({
  consumer_key: 'dpf43f3p2l4k3l03',
  signature_method: 'HMAC-SHA1',
  timestamp,
  nonce,
});

describe('OAuth 1.0a signature', () => {
  it('matches the examples of RFC 5849', () => {
    const token = baseString(
      'POST',
      'https://photos.example.net/token',
      oauth({
        ...common('137131201', 'walatlh'),
        token: 'hh5s93j4hdidpola',
        verifier: 'hfdp7dh39dks9884',
      }),
    );
    assert.equal(signature(token, CONSUMER, 'hdhd0244k9j7ao03'), 'gKgrFCywp7rO0OXSjdot/IHF7IU=');
    const photo = baseString(
      'get',
      'http://photos.example.net/photos?file=vacation.jpg&size=original',
      oauth({ ...common('137131202', 'chapoH'), token: 'nnch734d00sl2jdk' }),
    );
    assert.equal(signature(photo, CONSUMER, 'pfkkdhi9sl3r4s00'), 'MdpQcU8iPSUjWoN/UDMsK2sui9I=');
  });

  it('sorts and encodes parameters as RFC 5849, section 3.4.1.1', () => {
    const base = baseString(
      'post',
      'http://EXAMPLE.COM:80/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b',
      [
        ...oauth({
          consumer_key: '9djdj82h48djs9d2',
          token: 'kkk9d7dh3k39sjv7',
          signature_method: 'HMAC-SHA1',
          timestamp: '137131201',
          nonce: '7d8f3e4a',
        }),
        ['c2', ''],
        ['a3', '2 q'],
      ],
    );
    assert.equal(
      base,
      'POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7',
    );
  });

  it('matches the example of X', () => {
    const base = baseString(
      'POST',
      'https://api.x.com/1.1/statuses/update.json?include_entities=true',
      [
        ...oauth({
          consumer_key: 'xvz1evFS4wEEPTGEFPHBog',
          nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg',
          signature_method: 'HMAC-SHA1',
          timestamp: '1318622958',
          token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
          version: '1.0',
        }),
        ['status', 'Hello Ladies + Gentlemen, a signed OAuth request!'],
      ],
    );
    const secrets = [
      'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
      'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
    ] as const;
    assert.equal(signature(base, ...secrets), 'Ls93hJiZbQ3akF3HF3x1Bz8/zU4=');
  });

  it('OAuth 1.0a signature goes into the header with the signed parameters', () => {
    const header = authorizeRequest(
      'GET',
      'https://api.x.com/2/users/me',
      { consumerKey: 'a b', consumerSecret: "fake'", token: 't', tokenSecret: 'fake*' },
      { timestamp: 137_131_200, nonce: 'n' },
    );
    assert.match(
      header,
      /^OAuth oauth_consumer_key="a%20b", oauth_nonce="n", oauth_signature_method="HMAC-SHA1", oauth_timestamp="137131200", oauth_token="t", oauth_version="1\.0", oauth_signature="[\w%]+"$/,
    );
  });
});
