/** An access token and its lifetime in seconds. */
export interface Access {
  token: string;
  seconds: number;
}

/** Refresh this long before expiry, so that a token in use does not expire during the request. */
const REFRESH_BEFORE_EXPIRY_MS = 60_000;

/**
 * An access token that is fetched on demand. Concurrent callers share one request; the token is refreshed shortly
 * before it expires. A refusal goes to all waiting callers and is not cached.
 */
export class AccessToken<Refusal extends object> {
  #access: { token: string; until: number } | undefined;
  #pending: Promise<string | Refusal> | undefined;

  get(now: number, request: () => Promise<Access | Refusal>): Promise<string | Refusal> | string {
    if (this.#access && now < this.#access.until) return this.#access.token;
    this.#pending ??= this.#request(now, request).finally(() => (this.#pending = undefined));
    return this.#pending;
  }

  /** Call this when the vendor rejects the token. */
  forget(token: string): void {
    if (this.#access?.token === token) this.#access = undefined;
  }

  close(): void {
    this.#access = undefined;
  }

  async #request(now: number, request: () => Promise<Access | Refusal>): Promise<string | Refusal> {
    const answer = await request();
    if (!('token' in answer)) return answer;
    const { token, seconds } = answer;
    const lifetimeMs = Math.max(seconds * 1000 - REFRESH_BEFORE_EXPIRY_MS, (seconds * 1000) / 2);
    this.#access = { token, until: now + lifetimeMs };
    return token;
  }
}
