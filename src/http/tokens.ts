import { randomBytes } from 'node:crypto';

import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';

import { batchLoad } from '../lib/batch-load.ts';
import { Cache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';
import type {
  ApplicationPrincipal,
  Key,
  KeyKind,
  KeyOrigin,
  KeyPurpose,
  Principal,
  UserPrincipal,
} from '../model/account.ts';
import type { Application } from '../model/application.ts';
import { type Id, NO_ID, parseId } from '../model/id.ts';
import { Problem } from '../model/problem.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Signer } from '../store/keys.ts';
import type { Store } from '../store/store.ts';

/*
 * A token is a JWT signed with HS256 (RFC 7519, and RFC 8725 for what to refuse). Its `iss` is the id
 * of the key; the key alone says whom the token speaks for.
 */
const LEEWAY_SECONDS = 60;
const MAX_TOKEN_LENGTH = 4096;
const KEPT_TOKENS = 50_000;
/** How many keys one statement reads, or writes the last use of. */
const KEYS_AT_ONCE = 200;
const KEPT_APPLICATIONS = 1_000;

/** How long a revoked key or a disabled owner may go unnoticed on another node, in milliseconds. */
const STALE_AFTER = 900;

/** How often at the most the last use of a key is written down, in milliseconds. */
const TOUCH_EVERY = 60_000;

interface Verified {
  keyId: Id;
  expiresAt: Millis;
  notBefore: Millis;
}

export interface MintedToken {
  key: Key;
  token: string;
  expiresAt: Millis;
}

export class Tokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #longestMs: Millis;
  readonly #signers: Cache<Id, Signer | undefined>;
  /** Tokens whose signature was found right: seen again, they cost no cryptography. */
  readonly #verified = new Map<string, Verified>();
  readonly #touched = new Map<Id, Millis>();
  /** Keys whose use is still to be written down. */
  readonly #used: Id[] = [];
  #isWriting = false;
  /** The applications that users act for. */
  readonly #applications: Cache<Id, Application | undefined>;

  /** `longestMs` bounds the life of tokens that callers sign with a key of their own. */
  constructor(store: Store, clock: Clock, longestMs: Millis = Infinity) {
    this.#store = store;
    this.#clock = clock;
    this.#longestMs = longestMs;
    const load = batchLoad((ids: readonly Id[]) => store.keys.signers(ids), KEYS_AT_ONCE);
    this.#signers = new Cache(load, {
      maxAge: STALE_AFTER,
      maxEntries: KEPT_TOKENS,
    });
    this.#applications = new Cache((id) => store.applications.get(id), {
      maxAge: STALE_AFTER,
      maxEntries: KEPT_APPLICATIONS,
    });
  }

  /** Whom the token speaks for; throws the Problem when it speaks for nobody. */
  authenticate(token: string): Principal | Promise<Principal> {
    const verified = this.#verified.get(token);
    const signer = verified && this.#signers.get(verified.keyId);
    // What was looked up of late is judged at once, without waiting for anything.
    if (verified && !(signer instanceof Promise)) return this.#judge(verified, signer);
    return this.#authenticateAnew(token);
  }

  /** Speaks for an application of the user's team; throws the Problem when it is none. */
  async actFor(user: UserPrincipal, named: string): Promise<ApplicationPrincipal> {
    const application = await this.#applications.get(parseId(named) ?? NO_ID);
    if (application?.teamId !== user.teamId) {
      throw new Problem('not_found', 'the application does not exist, or is not yours');
    }
    const { id: applicationId, teamId, state } = application;
    const { keyId, userId } = user;
    return { kind: 'application', keyId, applicationId, teamId, state, userId };
  }

  async #authenticateAnew(token: string): Promise<Principal> {
    const verified = this.#verified.get(token) ?? (await this.#verify(token));
    return this.#judge(verified, await this.#signers.get(verified.keyId));
  }

  #judge(verified: Verified, signer: Signer | undefined): Principal {
    const now = this.#clock.now();
    if (!signer || signer.state !== 'enable')
      throw invalid('its key does not exist or is not enabled');
    if (verified.expiresAt + LEEWAY_SECONDS * 1000 <= now) throw expired();
    if (signer.expiresAt !== null && signer.expiresAt <= now) throw expired();
    if (verified.notBefore - LEEWAY_SECONDS * 1000 > now) throw invalid('it is not valid yet');
    this.#touch(verified.keyId, now);
    return signer.principal;
  }

  /** Makes a token with a key of its own, so that the token can be revoked alone. */
  async mint(
    kind: KeyKind,
    resourceId: Id,
    teamId: Id,
    purpose: KeyPurpose,
    seconds: number,
    { createdBy, label }: KeyOrigin = { createdBy: null, label: null },
  ): Promise<MintedToken> {
    const now = this.#clock.now();
    const expiresAt = now + seconds * 1000;
    const key: Key = {
      id: await this.#store.nextId(),
      kind,
      resourceId,
      teamId,
      purpose,
      secret: generateSecret(),
      state: 'enable',
      // The key outlives the token by the leeway, so that the token's own end decides.
      expiresAt: expiresAt + LEEWAY_SECONDS * 1000,
      lastUsedAt: null,
      createdBy,
      label,
      createdAt: now,
      updatedAt: now,
    };
    return { key, token: await signToken(key.id, key.secret, now, expiresAt), expiresAt };
  }

  /** To be told when a key is gone, or anything changed that decides what tokens may do. */
  forgetAll(): void {
    this.#signers.clear();
    this.#applications.clear();
  }

  async #verify(token: string): Promise<Verified> {
    if (token.length > MAX_TOKEN_LENGTH) throw invalid('it is too long');
    const keyId = issuerOf(token);
    const signer = await this.#signers.get(keyId);
    if (!signer) throw invalid('its key does not exist or is not enabled');
    const now = this.#clock.now();
    const { exp, nbf, iat } = await checkSignature(token, signer.secret, now);
    if (signer.purpose === 'api') this.#checkLife(exp * 1000, iat === undefined ? now : iat * 1000);
    const notBefore = Math.max(nbf ?? 0, iat ?? 0) * 1000;
    const verified = { keyId, expiresAt: exp * 1000, notBefore };
    if (this.#verified.size >= KEPT_TOKENS) {
      const [oldest] = this.#verified.keys();
      this.#verified.delete(oldest ?? '');
    }
    this.#verified.set(token, verified);
    return verified;
  }

  /** Without an `iat`, a token counts from now on: its last days are short enough. */
  #checkLife(expiresAt: Millis, issuedAt: Millis): void {
    if (expiresAt - issuedAt <= this.#longestMs) return;
    throw invalid(`its exp is more than ${this.#longestMs / 1000} seconds after its iat`);
  }

  #touch(id: Id, now: Millis): void {
    if (now - (this.#touched.get(id) ?? 0) < TOUCH_EVERY) return;
    if (this.#touched.size >= KEPT_TOKENS) this.#touched.clear();
    this.#touched.set(id, now);
    this.#used.push(id);
    if (!this.#isWriting) void this.#writeUses();
  }

  /** What is used while others are written down goes with the next statement. */
  async #writeUses(): Promise<void> {
    this.#isWriting = true;
    while (this.#used.length > 0) {
      const some = this.#used.splice(0, KEYS_AT_ONCE);
      // A use that is not written down is no harm; the next one is.
      await this.#store.keys.touch(some, this.#clock.now()).catch(() => {
        for (const id of some) this.#touched.delete(id);
      });
    }
    this.#isWriting = false;
  }
}

export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Signs a token; anyone who has a key's secret can do the same. */
export function signToken(
  keyId: Id,
  secret: string,
  now: Millis,
  expiresAt: Millis,
): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(String(keyId))
    .setIssuedAt(Math.floor(now / 1000))
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .sign(Buffer.from(secret));
}

/** Reads which key is said to have signed; nothing else is believed before the signature is checked. */
function issuerOf(token: string): Id {
  let issuer: unknown;
  try {
    issuer = decodeJwt(token).iss;
  } catch {
    throw invalid('it is not a JWT');
  }
  const id = parseId(issuer);
  if (!id) throw invalid('its iss is not the id of a key');
  return id;
}

async function checkSignature(
  token: string,
  secret: string,
  now: Millis,
): Promise<{ exp: number; nbf?: number | undefined; iat?: number | undefined }> {
  try {
    const { payload } = await jwtVerify(token, Buffer.from(secret), {
      algorithms: ['HS256'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    });
    const { exp, nbf, iat } = payload;
    if (typeof exp !== 'number') throw invalid('it has no exp');
    if (iat !== undefined && typeof iat !== 'number') throw invalid('its iat is not a number');
    return { exp, nbf, iat };
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof errors.JWTExpired) throw expired();
    if (error instanceof errors.JWTClaimValidationFailed)
      throw invalid(`${error.claim}: ${error.reason}`);
    throw invalid('its signature is wrong, or it is not signed with HS256');
  }
}

function invalid(why: string): Problem {
  return new Problem('token_invalid', `the token is not valid: ${why}`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

function expired(): Problem {
  return new Problem('token_expired', 'the token has expired', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="expired"' },
  });
}
