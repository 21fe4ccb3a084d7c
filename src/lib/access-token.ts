/** An access token, and for how many seconds it is good. */
export interface Access {
  token: string;
  seconds: number;
}

/** Asked for again this much before it expires, in milliseconds: what is under way must arrive in time. */
const BEFORE = 60_000;

/**
 * A token that has to be asked for: once, however many want it at the same time, and again shortly before it
 * expires. What is answered instead of a token goes to all who wait, and the next one asks again.
 */
export class AccessToken<Refusal extends object> {
  #access: { token: string; until: number } | undefined;
  #asking: Promise<string | Refusal> | undefined;

  get(now: number, ask: () => Promise<Access | Refusal>): Promise<string | Refusal> | string {
    if (this.#access && now < this.#access.until) return this.#access.token;
    this.#asking ??= this.#ask(now, ask).finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  /** The vendor does not know this token any more. */
  forget(token: string): void {
    if (this.#access?.token === token) this.#access = undefined;
  }

  close(): void {
    this.#access = undefined;
  }

  async #ask(now: number, ask: () => Promise<Access | Refusal>): Promise<string | Refusal> {
    const answer = await ask();
    if (!('token' in answer)) return answer;
    const { token, seconds } = answer;
    const lasts = Math.max(seconds * 1000 - BEFORE, (seconds * 1000) / 2);
    this.#access = { token, until: now + lasts };
    return token;
  }
}
