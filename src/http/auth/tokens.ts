import { randomBytes } from 'node:crypto';

import { type Jwt, isSignedWith, readJwt, signHs256 } from '../../lib/crypto/hs256.ts';
import { batchLoad } from '../../lib/runtime/batch-load.ts';
import { Cache } from '../../lib/runtime/cache.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type {
  ApplicationPrincipal,
  Key,
  KeyKind,
  KeyOrigin,
  KeyPurpose,
  Principal,
  UserPrincipal,
} from '../../model/account.ts';
import type { Application } from '../../model/application.ts';
import { type Id, NO_ID, parseId } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Millis } from '../../model/timestamp.ts';
import { ChangeWatch } from '../../store/accounts/change-watch.ts';
import type { Signer } from '../../store/accounts/keys.ts';
import type { Store } from '../../store/store.ts';

/*
 * A token is a JWT signed with HS256 (RFC 7519; RFC 8725 for what to refuse). `iss` is the id of the key, and
 * the key alone determines the user or application.
 */
const LEEWAY_SECONDS = 60;
const MAX_TOKEN_LENGTH = 4096;
const MAX_CACHED_TOKENS = 50_000;
/** Keys per statement when reading keys or writing their last use. */
const MAX_KEYS_PER_STATEMENT = 200;
const MAX_CACHED_APPLICATIONS = 1_000;

/** Maximum age of a cached key if no change was seen. */
const MAX_AGE_MS = 60_000;

/** Minimum interval between updates of a key's last use, in milliseconds. */
const TOUCH_INTERVAL_MS = 60_000;

interface VerifiedToken {
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
  readonly #maxLifetimeMs: Millis;
  readonly #signers: Cache<Id, Signer | undefined>;
  /** Verified tokens: repeated ones cost no cryptography. */
  readonly #verified = new Map<string, VerifiedToken>();
  readonly #touched = new Map<Id, Millis>();
  /** Keys whose last use is not written yet. */
  readonly #used: Id[] = [];
  #isWriting = false;
  /** Applications that users act for. */
  readonly #applications: Cache<Id, Application | undefined>;

  /** `maxLifetimeMs` limits the lifetime of tokens that callers sign themselves. */
  constructor(
    store: Store,
    clock: Clock,
    maxLifetimeMs: Millis = Infinity,
    changes = new ChangeWatch(store, clock),
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#maxLifetimeMs = maxLifetimeMs;
    const load = batchLoad((ids: readonly Id[]) => store.keys.signers(ids), MAX_KEYS_PER_STATEMENT);
    const common = { freshness: changes, maxAgeMs: MAX_AGE_MS, now: () => clock.elapsed() };
    this.#signers = new Cache(load, {
      ...common,
      dependsOn: (keyId, signer) => [keyId, ...(signer ? ownersOf(signer) : [])],
      maxEntries: MAX_CACHED_TOKENS,
    });
    this.#applications = new Cache((id) => store.applications.get(id), {
      ...common,
      dependsOn: (id) => [id],
      maxEntries: MAX_CACHED_APPLICATIONS,
    });
    changes.attach(this.#signers);
    changes.attach(this.#applications);
  }

  /** The user or application of a token; throws if the token is invalid. */
  authenticate(token: string): Principal | Promise<Principal> {
    const verified = this.#verified.get(token);
    if (!verified) return this.#authenticateNew(token);
    const signer = this.#signers.get(verified.keyId);
    // With a fresh cache entry nothing is awaited.
    if (!(signer instanceof Promise)) return this.#authorize(verified, signer);
    return signer.then((found) => this.#authorize(verified, found));
  }

  /** Lets a user act for an application of their team; throws if it is another team's. */
  async actFor(user: UserPrincipal, id: string): Promise<ApplicationPrincipal> {
    const application = await this.#applications.get(parseId(id) ?? NO_ID);
    if (application?.teamId !== user.teamId) {
      throw new Problem('not_found', 'the application does not exist or belongs to another team');
    }
    const { id: applicationId, teamId, state } = application;
    const { keyId, userId } = user;
    return { kind: 'application', keyId, applicationId, teamId, state, userId };
  }

  async #authenticateNew(token: string): Promise<Principal> {
    const verified = await this.#verify(token);
    return this.#authorize(verified, await this.#signers.get(verified.keyId));
  }

  #authorize(verified: VerifiedToken, signer: Signer | undefined): Principal {
    const now = this.#clock.now();
    if (!signer || signer.state !== 'enable') throw invalid('unknown or disabled key');
    if (verified.expiresAt + LEEWAY_SECONDS * 1000 <= now) throw expired();
    if (signer.expiresAt !== null && signer.expiresAt <= now) throw expired();
    if (verified.notBefore - LEEWAY_SECONDS * 1000 > now) throw invalid('not valid yet');
    this.#touch(verified.keyId, now);
    return signer.principal;
  }

  /** Creates a token with its own key, so that it can be revoked alone. */
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
      // The key outlives the token by the leeway, so that the token's own expiry decides.
      expiresAt: expiresAt + LEEWAY_SECONDS * 1000,
      lastUsedAt: null,
      createdBy,
      label,
      createdAt: now,
      updatedAt: now,
    };
    return { key, token: signToken(key.id, key.secret, now, expiresAt), expiresAt };
  }

  /** Must be called with the id of each revoked key and of each changed user, team or application. */
  forget(...ids: readonly Id[]): void {
    const changed = new Set(ids);
    this.#signers.drop(changed);
    this.#applications.drop(changed);
  }

  async #verify(token: string): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH) throw invalid('too long');
    const jwt = readJwt(token);
    if (!jwt) throw invalid('not a JWT');
    const keyId = issuerOf(jwt);
    const signer = await this.#signers.get(keyId);
    if (!signer) throw invalid('unknown or disabled key');
    if (!isSignedWith(jwt, signer.secret)) {
      throw invalid('wrong signature, or not signed with HS256');
    }
    const now = this.#clock.now();
    const { exp, nbf, iat } = timesOf(jwt);
    if (signer.purpose === 'api')
      this.#checkLifetime(exp * 1000, iat === undefined ? now : iat * 1000);
    const notBefore = Math.max(nbf ?? 0, iat ?? 0) * 1000;
    const verified = { keyId, expiresAt: exp * 1000, notBefore };
    if (this.#verified.size >= MAX_CACHED_TOKENS) {
      const [oldest] = this.#verified.keys();
      this.#verified.delete(oldest ?? '');
    }
    this.#verified.set(token, verified);
    return verified;
  }

  /** A token without `iat` counts from now. */
  #checkLifetime(expiresAt: Millis, issuedAt: Millis): void {
    if (expiresAt - issuedAt <= this.#maxLifetimeMs) return;
    throw invalid(`exp is more than ${this.#maxLifetimeMs / 1000} seconds after iat`);
  }

  #touch(id: Id, now: Millis): void {
    if (now - (this.#touched.get(id) ?? 0) < TOUCH_INTERVAL_MS) return;
    if (this.#touched.size >= MAX_CACHED_TOKENS) this.#touched.clear();
    this.#touched.set(id, now);
    this.#used.push(id);
    if (!this.#isWriting) void this.#writeUses();
  }

  /** Keys used during a write are part of the next one. */
  async #writeUses(): Promise<void> {
    this.#isWriting = true;
    while (this.#used.length > 0) {
      const batch = this.#used.splice(0, MAX_KEYS_PER_STATEMENT);
      // A lost update is harmless; the next use writes again.
      await this.#store.keys.touch(batch, this.#clock.now()).catch(() => {
        for (const id of batch) this.#touched.delete(id);
      });
    }
    this.#isWriting = false;
  }
}

/** The user or application that a key speaks for, and the team. */
function ownersOf({ principal }: Signer): Id[] {
  const { teamId } = principal;
  return [teamId, principal.kind === 'user' ? principal.userId : principal.applicationId];
}

export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Signs a token; anyone with a key's secret can do the same. */
export function signToken(keyId: Id, secret: string, now: Millis, expiresAt: Millis): string {
  const iat = Math.floor(now / 1000);
  return signHs256({ iss: String(keyId), iat, exp: Math.floor(expiresAt / 1000) }, secret);
}

/** The claimed issuer. Nothing else is trusted before the signature is verified. */
function issuerOf({ claims }: Jwt): Id {
  const id = parseId(claims['iss']);
  if (!id) throw invalid('iss is not a key id');
  return id;
}

/** The times of a token, in seconds. */
function timesOf({ claims: { exp, nbf, iat } }: Jwt): { exp: number; nbf?: number; iat?: number } {
  if (exp === undefined) throw invalid('exp is missing');
  if (!isNumber(exp)) throw invalid('exp is not a number');
  if (nbf !== undefined && !isNumber(nbf)) throw invalid('nbf is not a number');
  if (iat !== undefined && !isNumber(iat)) throw invalid('iat is not a number');
  return { exp, ...(nbf !== undefined && { nbf }), ...(iat !== undefined && { iat }) };
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

function invalid(reason: string): Problem {
  return new Problem('token_invalid', `invalid token: ${reason}`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

function expired(): Problem {
  return new Problem('token_expired', 'the token has expired', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="expired"' },
  });
}
