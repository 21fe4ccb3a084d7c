import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/*
 * SCRAM-SHA-1 and SCRAM-SHA-256, logins that do not reveal the password.
 * https://www.rfc-editor.org/rfc/rfc5802, https://www.rfc-editor.org/rfc/rfc7677
 */

type ScramHash = 'sha1' | 'sha256';

/** Fewer iterations make the password easy to guess; too many are a denial of service. */
const MIN_ITERATIONS = 4096;
const MAX_ITERATIONS = 500_000;

const derive = promisify(pbkdf2);

export class Scram {
  readonly #hash: ScramHash;
  readonly #password: string;
  readonly #nonce: string;
  readonly #bare: string;
  /** The signature with which the server proves that it knows the password. */
  #expectedSignature: Buffer | undefined;

  constructor(hash: ScramHash, user: string, password: string, nonce?: string) {
    this.#hash = hash;
    this.#password = password.normalize('NFKC');
    this.#nonce = nonce ?? randomBytes(24).toString('base64');
    const name = user.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C');
    this.#bare = `n=${name},r=${this.#nonce}`;
  }

  /** The client's first message. */
  get first(): string {
    return `n,,${this.#bare}`;
  }

  /** The response to a challenge; undefined when the challenge is invalid. */
  async answer(challenge: string): Promise<string | undefined> {
    const { r: nonce = '', s: salt = '', i: count = '', m: extension } = fieldsOf(challenge);
    const iterations = /^\d{1,7}$/.test(count) ? Number(count) : 0;
    const isOurs = nonce.startsWith(this.#nonce) && nonce.length > this.#nonce.length;
    if (!isOurs || salt === '' || extension !== undefined) return undefined;
    if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) return undefined;
    const hash = this.#hash;
    const size = hash === 'sha1' ? 20 : 32;
    const bytes = Buffer.from(salt, 'base64');
    const salted = await derive(this.#password, bytes, iterations, size, hash);
    const key = hmac(hash, salted, 'Client Key');
    const unproven = `c=biws,r=${nonce}`;
    const authMessage = `${this.#bare},${challenge},${unproven}`;
    const signature = hmac(hash, createHash(hash).update(key).digest(), authMessage);
    const proof = key.map((byte, i) => byte ^ (signature[i] ?? 0));
    this.#expectedSignature = hmac(hash, hmac(hash, salted, 'Server Key'), authMessage);
    return `${unproven},p=${Buffer.from(proof).toString('base64')}`;
  }

  /** Whether the server proved that it knows the password. */
  proves(last: string): boolean {
    const signature = Buffer.from(fieldsOf(last)['v'] ?? '', 'base64');
    const expected = this.#expectedSignature;
    return expected?.length === signature.length && timingSafeEqual(expected, signature);
  }
}

function hmac(hash: ScramHash, key: Buffer, text: string): Buffer {
  return createHmac(hash, key).update(text).digest();
}

function fieldsOf(message: string): Partial<Record<string, string>> {
  return Object.fromEntries(message.split(',').map((field) => [field.slice(0, 1), field.slice(2)]));
}
