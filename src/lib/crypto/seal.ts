import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
} from 'node:crypto';

import { equalInConstantTime } from './constant-time.ts';

/** The place where a sealed value is stored. It is bound to this place: copied elsewhere, it cannot be opened. */
export interface Place {
  table: string;
  row: string | number;
  field: string;
}

export interface RingKey {
  id: string;
  key: Buffer;
}

/** A value cannot be opened: its key is missing, or the value was changed. */
export class SealError extends Error {
  override name = 'SealError';
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
// Without this, Node accepts shorter tags, which are easier to forge.
const GCM = { authTagLength: TAG_BYTES };
const RING_KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** Parses `id:base64-of-32-bytes`, comma-separated, newest first. Errors are written for the operator. */
export function parseKeyRing(text: string): RingKey[] {
  const keys = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part, index) => {
      const match = RING_KEY.exec(part);
      if (!match) throw new Error(`key ${index + 1} does not have the form id:base64-of-32-bytes`);
      return { id: match[1] as string, key: Buffer.from(match[2] as string, 'base64') };
    });
  if (keys.length === 0) throw new Error('it contains no key');
  if (new Set(keys.map((key) => key.id)).size < keys.length)
    throw new Error('a key id occurs twice');
  return keys;
}

export function formatKeyRing(keys: readonly RingKey[]): string {
  return keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
}

export function generateRingKey(): RingKey {
  return { id: `k${randomBytes(4).toString('hex')}`, key: randomBytes(32) };
}

/** Distinguishes two keys with the same id without revealing either. */
export function nameOfKey({ id, key }: RingKey): string {
  const digest = createHash('sha256').update('switchboard ring key').update(key).digest('hex');
  return `${id}/${digest.slice(0, 12)}`;
}

/**
 * Encrypts secrets at rest with AES-256-GCM, bound to their place. Encrypts with the key set by `sealWith`, or else
 * the newest; decrypts with any key of the ring. `reload` returns the current ring: it is called before each `seal`,
 * so that a rotated key is not used again, and when a value names an unknown key. Sealing is rare and the source is a
 * small file.
 */
export class Sealer {
  #keys: readonly RingKey[];
  readonly #reload: (() => readonly RingKey[]) | undefined;
  #sealsWith: string | undefined;

  constructor(keys: readonly RingKey[], reload?: () => readonly RingKey[]) {
    this.#keys = keys;
    this.#reload = reload;
  }

  /** The id of the key that `seal` uses. */
  get primary(): string {
    return this.#primary().id;
  }

  /** The first key of the ring: the target of a rotation. */
  get newest(): RingKey {
    const [first] = this.#keys;
    if (!first) throw new SealError('the key ring is empty');
    return first;
  }

  /** Selects the key for `seal`. It must be one that every node has. */
  sealWith(id: string): void {
    this.#sealsWith = id;
  }

  /** The names of all keys, starting with the one that `seal` uses. */
  get names(): string[] {
    this.#refreshIfReadable();
    const primary = this.#primary();
    return [primary, ...this.#keys.filter((key) => key !== primary)].map(nameOfKey);
  }

  seal(plain: string, place: Place): string {
    this.#refreshIfReadable();
    const { id, key } = this.#primary();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', prepared(key), iv, GCM);
    cipher.setAAD(bind(place));
    const sealed = Buffer.concat([
      iv,
      cipher.update(plain, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${id}.${sealed.toString('base64url')}`;
  }

  open(sealed: string, place: Place): string {
    const dot = sealed.indexOf('.');
    // Do not show the value: if it is not sealed, it may be a secret in plain text.
    if (dot === -1)
      throw new SealError(`${place.table}.${place.field} does not contain a sealed value`);
    const { key } = this.#find(sealed.slice(0, dot));
    const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
    try {
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', prepared(key), iv, GCM);
      decipher.setAAD(bind(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return (
        decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') +
        decipher.final('utf8')
      );
    } catch {
      throw new SealError(`cannot open the sealed value of ${place.table}.${place.field}`);
    }
  }

  /** A keyed hash that cannot be computed without the ring. It changes when the ring rotates. */
  fingerprint(text: string): Buffer {
    return createHmac('sha256', this.#primary().key).update(`fingerprint\0${text}`).digest();
  }

  /** Signs a text for one purpose, with a key derived from the one that `seal` uses now: `keyId.mac`. */
  sign(purpose: string, text: string): string {
    const { id, key } = this.#primary();
    return `${id}.${macOf(key, purpose, text)}`;
  }

  /** Whether a key of the ring signed that text for that purpose. Never reloads the ring, because anyone may call this. */
  isSigned(purpose: string, text: string, signature: string): boolean {
    const id = keyOf(signature);
    const found = this.#keys.find((key) => key.id === id);
    if (!found) return false;
    return equalInConstantTime(signature, `${id}.${macOf(found.key, purpose, text)}`);
  }

  /** Whether the value was sealed with the key that `seal` uses now. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.primary}.`);
  }

  refresh(): void {
    if (this.#reload) this.#keys = this.#reload();
  }

  /** If the source cannot be read, keeps the ring in memory. */
  #refreshIfReadable(): void {
    try {
      this.refresh();
    } catch {
      // The next start reports the problem.
    }
  }

  #primary(): RingKey {
    return this.#keys.find(({ id }) => id === this.#sealsWith) ?? this.newest;
  }

  #find(id: string): RingKey {
    const found = this.#keys.find((key) => key.id === id);
    if (found) return found;
    this.refresh();
    const reloaded = this.#keys.find((key) => key.id === id);
    if (!reloaded) throw new SealError(`the key ring does not contain the key "${id}"`);
    return reloaded;
  }
}

/** The id of the key that sealed a value. */
export function keyOf(sealed: string): string {
  return sealed.slice(0, Math.max(sealed.indexOf('.'), 0));
}

const objects = new WeakMap<Buffer, KeyObject>();

/** The key as an object, cached: with raw bytes, opening a value takes five times as long. */
function prepared(key: Buffer): KeyObject {
  const found = objects.get(key);
  if (found) return found;
  const created = createSecretKey(key);
  objects.set(key, created);
  return created;
}

const MAC_BYTES = 16;

function macOf(key: Buffer, purpose: string, text: string): string {
  const derived = hkdfSync('sha256', key, '', `switchboard ${purpose}`, 32);
  const mac = createHmac('sha256', Buffer.from(derived)).update(text).digest();
  return mac.subarray(0, MAC_BYTES).toString('base64url');
}

function bind({ table, row, field }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, String(row), field]));
}
