import * as crypto from 'node:crypto';
import { promisify } from 'node:util';

/*
 * Passwords are stored as PHC strings (https://github.com/P-H-C/phc-string-format): argon2id if this Node has it
 * (24.7 and later), else scrypt. A stored password is verified with the algorithm that it names; `needsRehash` tells
 * when the current choice differs.
 */
const ARGON2ID = { memory: 19 * 1024, passes: 2, parallelism: 1 };
const SCRYPT = { ln: 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const hasArgon2 = typeof crypto.argon2 === 'function';
const argon2 = promisify(crypto.argon2 ?? noArgon2);
const scrypt = promisify<string, Buffer, number, crypto.ScryptOptions, Buffer>(crypto.scrypt);

export function hashPassword(password: string): Promise<string> {
  const salt = crypto.randomBytes(SALT_BYTES);
  return hasArgon2 ? hashArgon2(password, salt, ARGON2ID) : hashScrypt(password, salt, SCRYPT);
}

export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const again = await hashLike(password, phc);
  return crypto.timingSafeEqual(digest(again), digest(phc));
}

export function needsRehash(phc: string): boolean {
  return !phc.startsWith(hasArgon2 ? `${argon2Prefix(ARGON2ID)}$` : `${scryptPrefix(SCRYPT)}$`);
}

/** Takes as long as a real verification, for accounts that do not exist or have no password. */
export async function pretendToVerify(password: string): Promise<false> {
  await hashPassword(password);
  return false;
}

function hashLike(password: string, phc: string): Promise<string> {
  const [, algorithm, ...rest] = phc.split('$');
  if (algorithm === 'argon2id') {
    const [, parameters = '', salt = ''] = rest;
    const { m = 0, t = 0, p = 0 } = numbers(parameters);
    return hashArgon2(password, Buffer.from(salt, 'base64'), {
      memory: m,
      passes: t,
      parallelism: p,
    });
  }
  if (algorithm === 'scrypt') {
    const [parameters = '', salt = ''] = rest;
    const { ln = 0, r = 0, p = 0 } = numbers(parameters);
    return hashScrypt(password, Buffer.from(salt, 'base64'), { ln, r, p });
  }
  throw new Error('the stored password has an unknown format');
}

async function hashArgon2(password: string, salt: Buffer, cost: typeof ARGON2ID): Promise<string> {
  const hash = await argon2('argon2id', {
    message: password,
    nonce: salt,
    ...cost,
    tagLength: HASH_BYTES,
  });
  return `${argon2Prefix(cost)}$${unpadded(salt)}$${unpadded(hash)}`;
}

async function hashScrypt(password: string, salt: Buffer, cost: typeof SCRYPT): Promise<string> {
  const N = 2 ** cost.ln;
  const maxmem = 256 * N * cost.r;
  const hash = await scrypt(password, salt, HASH_BYTES, { N, r: cost.r, p: cost.p, maxmem });
  return `${scryptPrefix(cost)}$${unpadded(salt)}$${unpadded(hash)}`;
}

const argon2Prefix = ({ memory, passes, parallelism }: typeof ARGON2ID): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}`;
const scryptPrefix = ({ ln, r, p }: typeof SCRYPT): string => `$scrypt$ln=${ln},r=${r},p=${p}`;
const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const digest = (text: string): Buffer => crypto.createHash('sha256').update(text).digest();

function numbers(parameters: string): Record<string, number | undefined> {
  return Object.fromEntries(
    parameters.split(',').map((pair) => {
      const [name = '', value] = pair.split('=');
      return [name, Number(value)];
    }),
  );
}

function noArgon2(): never {
  throw new Error('this password needs argon2, which Node.js has from version 24.7');
}
