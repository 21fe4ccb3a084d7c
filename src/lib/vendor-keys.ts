import type { JSONWebKeySet, JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { jwtVerify } from 'jose/jwt/verify';

import { type FetchAnswer, FetchFault } from './fetch.ts';
import { listMember } from './member.ts';

/** What a token has to say to be the vendor's, and meant for us. */
export interface Expected {
  issuer: string;
  audience: string;
  /** Milliseconds since 1970. */
  now: number;
  /** For how many seconds the vendor's tokens are good, where they say since when. */
  lasts?: number;
}

/** How far clocks may differ, in seconds. */
const LEEWAY = 60;
/** How long it takes until keys are asked for again, in milliseconds, when one is unknown. */
const PAUSE = 60_000;

/**
 * The keys that a vendor signs its tokens with. They are asked for when a token has a key that is not known, and
 * not again for a minute: whoever makes up keys does not make us ask. RFC 7517, RFC 8725
 */
export class VendorKeys {
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  /** What a token claims, or what is wrong with it. Rejects with a FetchFault when the keys cannot be had. */
  async verify(
    token: string,
    expected: Expected,
    ask: () => Promise<FetchAnswer>,
  ): Promise<JWTPayload | string> {
    const known = await this.#judge(token, expected);
    if (known !== undefined) return known;
    await this.#renew(expected.now, ask);
    if (!this.#keys) throw new FetchFault('the keys of the vendor are not to be had', false);
    return (await this.#judge(token, expected)) ?? 'it is signed with a key that is not known';
  }

  close(): void {
    this.#keys = undefined;
  }

  /** Undefined when it is signed with a key that is not known. */
  async #judge(token: string, expected: Expected): Promise<JWTPayload | string | undefined> {
    if (!this.#keys) return undefined;
    const { issuer, audience, now, lasts } = expected;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: ['RS256'],
        requiredClaims: ['exp'],
        currentDate: new Date(now),
        clockTolerance: LEEWAY,
        ...(lasts !== undefined && { maxTokenAge: lasts }),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      if (error instanceof errors.JOSEError) return `the token is not good: ${error.message}`;
      throw error;
    }
  }

  async #renew(now: number, ask: () => Promise<FetchAnswer>): Promise<void> {
    if (!this.#asking && now - this.#askedAt < PAUSE) return;
    this.#askedAt = this.#asking ? this.#askedAt : now;
    this.#asking ??= this.#ask(ask).finally(() => (this.#asking = undefined));
    await this.#asking;
  }

  async #ask(ask: () => Promise<FetchAnswer>): Promise<void> {
    const answer = await ask();
    const json = answer.json();
    if (answer.status !== 200 || !isKeySet(json)) {
      throw new FetchFault(`the keys of the vendor are not to be had: ${answer.status}`, false);
    }
    this.#keys = createLocalJWKSet(json);
  }
}

const isKeySet = (json: unknown): json is JSONWebKeySet => listMember(json, 'keys').length > 0;
