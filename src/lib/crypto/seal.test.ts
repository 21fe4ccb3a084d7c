import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';

import { fc } from '../../../test/support/fast-check.ts';
import {
  type Place,
  type RingKey,
  SealError,
  Sealer,
  formatKeyRing,
  generateRingKey,
  parseKeyRing,
} from './seal.ts';

const place: Place = { table: 'integrations', row: 7, field: 'credentials' };
const text = fc.string({ unit: 'grapheme', maxLength: 300 });

// Unless told otherwise, Node accepts short tags, which are easier to forge, and warns once per process.
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

function ringKey(id: string): RingKey {
  return { id, key: randomBytes(32) };
}

/** Alters the bytes of a sealed value (nonce, ciphertext, tag). */
function withBytes(sealed: string, change: (bytes: Buffer) => Buffer): string {
  const [id = '', encoded = ''] = sealed.split('.');
  return `${id}.${change(Buffer.from(encoded, 'base64url')).toString('base64url')}`;
}

describe('sealed value', () => {
  it('sealed value opens in its own place', () => {
    const sealer = new Sealer([generateRingKey()]);
    const places = fc.record({ table: text, row: fc.oneof(fc.nat(), text), field: text });
    fc.assert(
      fc.property(text, places, (plain, where) => {
        assert.equal(sealer.open(sealer.seal(plain, where), where), plain);
      }),
    );
  });

  it('sealed value does not open in another row, field or table', () => {
    const sealer = new Sealer([generateRingKey()]);
    const sealed = sealer.seal('secret', place);
    for (const elsewhere of [
      { ...place, row: 8 },
      { ...place, row: '07' },
      { ...place, field: 'secret' },
      { ...place, table: 'keys' },
      // Adjacent parts of the place must not be interchangeable.
      { table: 'integrations7', row: '', field: 'credentials' },
      { table: 'integrations","7', row: 'credentials', field: '' },
    ]) {
      assert.throws(() => sealer.open(sealed, elsewhere), SealError, JSON.stringify(elsewhere));
    }
    assert.equal(sealer.open(sealed, { ...place, row: '7' }), 'secret');
  });

  it('sealed value does not open if any bit was changed', () => {
    const sealer = new Sealer([generateRingKey()]);
    const sealed = sealer.seal('secret', place);
    const length = Buffer.from(sealed.split('.')[1] ?? '', 'base64url').length;
    assert.equal(length, 12 + 'secret'.length + 16);
    for (let bit = 0; bit < length * 8; bit++) {
      const changed = withBytes(sealed, (bytes) => {
        bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        return bytes;
      });
      assert.throws(() => sealer.open(changed, place), SealError, `bit ${bit}`);
    }
  });

  it('sealed value does not open if truncated or extended', () => {
    const sealer = new Sealer([generateRingKey()]);
    const sealed = sealer.seal('secret', place);
    for (let length = 0; length < 12 + 6 + 16; length++) {
      for (const cut of [
        withBytes(sealed, (bytes) => bytes.subarray(0, length)),
        withBytes(sealed, (bytes) => bytes.subarray(bytes.length - length)),
      ]) {
        assert.throws(() => sealer.open(cut, place), SealError, `${length} bytes`);
      }
    }
    const longer = withBytes(sealed, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)]));
    assert.throws(() => sealer.open(longer, place), SealError);
  });

  it('requires a full tag', async () => {
    const sealer = new Sealer([ringKey('k')]);
    for (const length of [4, 8, 12, 15]) {
      const short = `k.${Buffer.alloc(length).toString('base64url')}`;
      assert.throws(() => sealer.open(short, place), SealError);
    }
    await endOfTurn();
    assert.deepEqual(warnings, []);
  });

  it('differs each time and reveals nothing of its content', () => {
    const sealer = new Sealer([generateRingKey()]);
    const all = Array.from({ length: 100 }, () => sealer.seal('secret-canary', place));
    assert.equal(new Set(all).size, 100);
    for (const sealed of all) {
      assert.doesNotMatch(sealed, /secret-canary/);
      assert.doesNotMatch(
        Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString('latin1'),
        /canary/,
      );
    }
  });

  it('sealed value does not open with another key of the same id', () => {
    const sealed = new Sealer([ringKey('k1')]).seal('secret', place);
    assert.throws(() => new Sealer([ringKey('k1')]).open(sealed, place), SealError);
  });

  it('error names the missing key and nothing of the content', () => {
    const sealed = new Sealer([ringKey('old')]).seal('secret', place);
    const sealer = new Sealer([ringKey('new')]);
    assert.throws(() => sealer.open(sealed, place), { name: 'SealError', message: /"old"/ });
    assert.throws(
      () => sealer.open('plain-canary', place),
      (error) => {
        assert.ok(error instanceof SealError);
        assert.doesNotMatch(error.message, /canary/);
        assert.match(error.message, /integrations\.credentials/);
        return true;
      },
    );
  });
});

describe('key ring', () => {
  it('seals with its first key and opens with every key', () => {
    const [older, newer] = [ringKey('older'), ringKey('newer')];
    const before = new Sealer([older]).seal('secret', place);
    const sealer = new Sealer([newer, older]);
    assert.equal(sealer.primary, 'newer');
    assert.equal(sealer.open(before, place), 'secret');
    assert.equal(sealer.isCurrent(before), false);
    const after = sealer.seal('secret', place);
    assert.equal(sealer.isCurrent(after), true);
    assert.equal(new Sealer([newer]).open(after, place), 'secret');
    assert.equal(new Sealer([ringKey('new')]).isCurrent(after), false);
  });

  it('key ring is reloaded when a value names an unknown key', () => {
    const [older, newer] = [ringKey('older'), ringKey('newer')];
    let source = [older];
    let reads = 0;
    const sealer = new Sealer(source, () => {
      reads++;
      return source;
    });
    const before = new Sealer(source).seal('one', place);
    source = [newer, older];
    // Another node rotated the ring and sealed this.
    const fromElsewhere = new Sealer(source).seal('two', place);
    assert.equal(sealer.open(before, place), 'one');
    assert.equal(reads, 0);
    assert.equal(sealer.open(fromElsewhere, place), 'two');
    assert.equal(reads, 1);
    assert.equal(sealer.primary, 'newer');
    const unknown = new Sealer([ringKey('unknown')]).seal('three', place);
    assert.throws(() => sealer.open(unknown, place), SealError);
  });

  it('uses a new first key after a refresh', () => {
    let source = [ringKey('k1')];
    const sealer = new Sealer(source, () => source);
    source = [ringKey('k2'), ...source];
    assert.equal(sealer.primary, 'k1');
    sealer.refresh();
    assert.equal(sealer.primary, 'k2');
  });

  it('refuses to seal when empty', () => {
    assert.throws(() => new Sealer([]).seal('secret', place), SealError);
  });

  it('key ring is parsed as it was formatted', () => {
    const ring = [generateRingKey(), generateRingKey(), ringKey('A-b_9')];
    assert.deepEqual(parseKeyRing(formatKeyRing(ring)), ring);
    assert.deepEqual(parseKeyRing(` ${formatKeyRing(ring).replaceAll(',', ' ,\n')}, `), ring);
  });

  it('generates distinct keys', () => {
    const keys = Array.from({ length: 50 }, generateRingKey);
    assert.equal(new Set(keys.map(({ id }) => id)).size, 50);
    assert.equal(new Set(keys.map(({ key }) => key.toString('hex'))).size, 50);
    assert.ok(keys.every(({ key }) => key.length === 32));
  });

  it('error tells which key is malformed, without repeating it', () => {
    const good = formatKeyRing([ringKey('good')]);
    const bytes = (count: number) => Buffer.alloc(count, 1).toString('base64');
    for (const bad of [
      'canary',
      `:${bytes(32)}`,
      `a.b:${bytes(32)}`,
      `${'x'.repeat(33)}:${bytes(32)}`,
      `k:${bytes(31)}`,
      `k:${bytes(33)}`,
      `k:${bytes(16)}`,
      `k:${bytes(32)}canary`,
      `k ${bytes(32)}`,
      `k:${Buffer.alloc(32, 255).toString('base64url')}`,
    ]) {
      assert.throws(
        () => parseKeyRing(`${good},${bad}`),
        (error) =>
          error instanceof Error &&
          error.message.startsWith('key 2 ') &&
          !error.message.includes('canary'),
        bad,
      );
    }
  });

  it('requires at least one key and distinct ids', () => {
    for (const empty of ['', ' ', ',', ' , ']) {
      assert.throws(() => parseKeyRing(empty), Error);
    }
    const twice = formatKeyRing([ringKey('k'), ringKey('k')]);
    assert.throws(() => parseKeyRing(twice), Error);
  });
});
