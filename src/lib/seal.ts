import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** What a sealed value belongs to. It opens only there: a ciphertext moved elsewhere does not. */
export interface Place {
  table: string;
  row: string | number;
  field: string;
}

export interface RingKey {
  id: string;
  key: Buffer;
}

/** A value that the ring cannot open: its key is missing, or the value is not what was sealed. */
export class SealError extends Error {
  override name = 'SealError';
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
// Node would take a shorter tag, which is easier to guess.
const GCM = { authTagLength: TAG_BYTES };
const RING_KEY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** Reads `id:base64-of-32-bytes`, comma-separated, newest first. Throws words for the operator. */
export function parseKeyRing(text: string): RingKey[] {
  const keys = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
    .map((part, index) => {
      const match = RING_KEY.exec(part);
      if (!match) throw new Error(`key ${index + 1} is not of the form id:base64-of-32-bytes`);
      return { id: match[1] as string, key: Buffer.from(match[2] as string, 'base64') };
    });
  if (keys.length === 0) throw new Error('it holds no key');
  if (new Set(keys.map((key) => key.id)).size < keys.length)
    throw new Error('a key id is repeated');
  return keys;
}

export function formatKeyRing(keys: readonly RingKey[]): string {
  return keys.map(({ id, key }) => `${id}:${key.toString('base64')}`).join(',');
}

export function generateRingKey(): RingKey {
  return { id: `k${randomBytes(4).toString('hex')}`, key: randomBytes(32) };
}

/**
 * Seals secrets at rest with AES-256-GCM, bound to their place. The first key of the ring seals;
 * every key of it opens. `reload` brings the ring as it is now: it is asked before anything is sealed,
 * so that nothing goes under a key that a rotation has just replaced, and when a value names an unknown
 * key. Sealing is rare, and the source is a small file.
 */
export class Sealer {
  #keys: readonly RingKey[];
  readonly #reload: (() => readonly RingKey[]) | undefined;

  constructor(keys: readonly RingKey[], reload?: () => readonly RingKey[]) {
    this.#keys = keys;
    this.#reload = reload;
  }

  /** The id of the key that seals now. */
  get primary(): string {
    return this.#primary().id;
  }

  seal(plain: string, place: Place): string {
    this.#refreshIfReadable();
    const { id, key } = this.#primary();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv, GCM);
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
    // What was never sealed may be a secret in plain text, so it is not repeated.
    if (dot === -1) throw new SealError(`${place.table}.${place.field} holds no sealed value`);
    const { key } = this.#find(sealed.slice(0, dot));
    const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), GCM);
      decipher.setAAD(bind(place));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return (
        decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') +
        decipher.final('utf8')
      );
    } catch {
      throw new SealError(`the sealed value of ${place.table}.${place.field} does not open`);
    }
  }

  /** Whether the value was sealed with the key that seals now. */
  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.primary}.`);
  }

  /** Takes up the ring as it is now at its source. */
  refresh(): void {
    if (this.#reload) this.#keys = this.#reload();
  }

  /** A source that cannot be read just now is no reason not to seal: the ring at hand is good. */
  #refreshIfReadable(): void {
    try {
      this.refresh();
    } catch {
      // Whoever starts anew is told what is wrong with it.
    }
  }

  #primary(): RingKey {
    const [first] = this.#keys;
    if (!first) throw new SealError('the key ring is empty');
    return first;
  }

  #find(id: string): RingKey {
    const known = this.#keys.find((key) => key.id === id);
    if (known) return known;
    this.refresh();
    const reloaded = this.#keys.find((key) => key.id === id);
    if (!reloaded) throw new SealError(`the key ring has no key "${id}"`);
    return reloaded;
  }
}

function bind({ table, row, field }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, String(row), field]));
}
