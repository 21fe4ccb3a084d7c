import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { missingCredentials } from './channel.ts';
import { CHANNELS } from './index.ts';

describe('missing credentials', () => {
  const channel = {
    needs: [['address'], ['consumer_key', 'consumer_secret', 'token']],
  } as const;

  it('no credential is missing if one set is complete', () => {
    assert.deepEqual(missingCredentials(channel, ['address']), []);
    assert.deepEqual(missingCredentials(channel, ['secret', 'address', 'token']), []);
    assert.deepEqual(missingCredentials(channel, ['token', 'consumer_secret', 'consumer_key']), []);
  });

  it('missing credentials are those of the set that lacks the fewest', () => {
    assert.deepEqual(missingCredentials(channel, []), ['address']);
    const three = {
      needs: [
        ['address', 'token', 'secret'],
        ['consumer_key', 'consumer_secret'],
      ],
    } as const;
    assert.deepEqual(missingCredentials(three, ['address', 'token']), ['secret']);
    assert.deepEqual(missingCredentials(three, ['consumer_key']), ['consumer_secret']);
  });

  it('missing credentials are those of the first set if two lack the same number', () => {
    assert.deepEqual(missingCredentials({ needs: [['token'], ['secret']] }, []), ['token']);
  });

  it('no credential is missing for a channel without required credentials', () => {
    for (const nothing of [{ needs: [[]] }, { needs: [] }]) {
      assert.deepEqual(missingCredentials(nothing, []), []);
    }
  });

  it('no credential is missing for any channel that has all its credentials', () => {
    for (const each of CHANNELS) {
      const all = each.credentials.map((field) => field.name);
      assert.deepEqual(missingCredentials(each, all), [], each.name);
    }
  });
});
