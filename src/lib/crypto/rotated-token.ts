import { AccessToken } from './access-token.ts';

/** An access token with its lifetime in seconds, and the next refresh token. */
export interface Rotated {
  token: string;
  refresh: string;
  seconds: number;
}

/** How to request the next token and where to store it. */
export interface Rotation<Refusal extends object> {
  now: number;
  ask(refresh: string): Promise<Rotated | Refusal>;
  /** Returns why storing failed, or undefined. */
  store(token: string, refresh: string): Promise<Refusal | undefined>;
}

/**
 * An access token with a single-use refresh token. Uses the configured access token until the vendor rejects it, and
 * then refreshes it before each expiry. Concurrent callers share one refresh.
 */
export class RotatedToken<Refusal extends object> {
  readonly #access = new AccessToken<Refusal>();
  #configured: string | undefined;
  #refresh: string;

  constructor(configured: string | undefined, refresh: string) {
    this.#configured = configured === '' ? undefined : configured;
    this.#refresh = refresh;
  }

  get(rotation: Rotation<Refusal>): string | Refusal | Promise<string | Refusal> {
    return this.#configured ?? this.#access.get(rotation.now, () => this.#rotate(rotation));
  }

  /** Call this when the vendor rejects the token. */
  forget(token: string): void {
    if (token === this.#configured) this.#configured = undefined;
    this.#access.forget(token);
  }

  close(): void {
    this.#access.close();
  }

  async #rotate({ ask, store }: Rotation<Refusal>): Promise<Rotated | Refusal> {
    const answer = await ask(this.#refresh);
    if (!('refresh' in answer)) return answer;
    // Before storing: the previous refresh token is used up even if storing fails.
    this.#refresh = answer.refresh;
    return (await store(answer.token, answer.refresh)) ?? answer;
  }
}
