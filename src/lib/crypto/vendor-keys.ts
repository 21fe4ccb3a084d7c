import type { JSONWebKeySet, JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { createLocalJWKSet } from 'jose/jwks/local';
import { jwtVerify } from 'jose/jwt/verify';

import { type FetchAnswer, FetchFault } from '../http/fetch.ts';
import { listMember } from '../json/json-member.ts';

/** What a vendor's token must claim. */
export interface ExpectedClaims {
  issuer: string;
  audience: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Maximum token age in seconds, if the token says when it was issued. */
  maxAgeSeconds?: number;
}

/** Tolerated clock difference. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** Minimum interval between requests for the keys. */
const MIN_REFRESH_INTERVAL_MS = 60_000;

/**
 * The public keys that a vendor signs its tokens with. A token with an unknown key triggers a refresh, at most once a
 * minute, so that forged tokens cannot cause a flood of requests. RFC 7517, RFC 8725
 */
export class VendorKeys {
  #keys: ReturnType<typeof createLocalJWKSet> | undefined;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  /** The claims of a token, or why it is invalid. Rejects with a FetchFault if the keys are unavailable. */
  async verify(
    token: string,
    expected: ExpectedClaims,
    fetchKeys: () => Promise<FetchAnswer>,
  ): Promise<JWTPayload | string> {
    const result = await this.#verify(token, expected);
    if (result !== undefined) return result;
    await this.#renew(expected.now, fetchKeys);
    if (!this.#keys) throw new FetchFault('vendor signing keys are unavailable', false);
    return (await this.#verify(token, expected)) ?? 'the signing key is unknown';
  }

  close(): void {
    this.#keys = undefined;
  }

  /** Undefined if the signing key is unknown. */
  async #verify(token: string, expected: ExpectedClaims): Promise<JWTPayload | string | undefined> {
    if (!this.#keys) return undefined;
    const { issuer, audience, now, maxAgeSeconds } = expected;
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: ['RS256'],
        requiredClaims: ['exp'],
        currentDate: new Date(now),
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        ...(maxAgeSeconds !== undefined && { maxTokenAge: maxAgeSeconds }),
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      if (error instanceof errors.JOSEError) return `the token is invalid: ${error.message}`;
      throw error;
    }
  }

  async #renew(now: number, fetchKeys: () => Promise<FetchAnswer>): Promise<void> {
    if (!this.#refreshing && now - this.#refreshedAt < MIN_REFRESH_INTERVAL_MS) return;
    this.#refreshedAt = this.#refreshing ? this.#refreshedAt : now;
    this.#refreshing ??= this.#fetchKeys(fetchKeys).finally(() => (this.#refreshing = undefined));
    await this.#refreshing;
  }

  async #fetchKeys(fetchKeys: () => Promise<FetchAnswer>): Promise<void> {
    const answer = await fetchKeys();
    const json = answer.json();
    if (answer.status !== 200 || !isKeySet(json)) {
      throw new FetchFault(`vendor signing keys are unavailable: status ${answer.status}`, false);
    }
    this.#keys = createLocalJWKSet(json);
  }
}

const isKeySet = (json: unknown): json is JSONWebKeySet => listMember(json, 'keys').length > 0;
