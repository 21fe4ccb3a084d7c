import { AccessToken } from './access-token.ts';

/** An access token, for how many seconds it is good, and the refresh token for the next one. */
export interface Rotated {
  token: string;
  refresh: string;
  seconds: number;
}

/** How the next token is asked for, and where both are kept. */
export interface Rotation<Refusal extends object> {
  now: number;
  ask(refresh: string): Promise<Rotated | Refusal>;
  /** Answers why they could not be stored, if so. */
  store(token: string, refresh: string): Promise<Refusal | undefined>;
}

/**
 * A token that is good for a while, and a refresh token that is good for one use. The token that was given
 * is used until the vendor does not know it; from then on, the next one is asked for in time. It is asked
 * for once, however many want it at the same time.
 */
export class RotatedToken<Refusal extends object> {
  readonly #access = new AccessToken<Refusal>();
  #given: string | undefined;
  #refresh: string;

  constructor(given: string | undefined, refresh: string) {
    this.#given = given === '' ? undefined : given;
    this.#refresh = refresh;
  }

  get(rotation: Rotation<Refusal>): string | Refusal | Promise<string | Refusal> {
    return this.#given ?? this.#access.get(rotation.now, () => this.#rotate(rotation));
  }

  /** The vendor does not know this token any more. */
  forget(token: string): void {
    if (token === this.#given) this.#given = undefined;
    this.#access.forget(token);
  }

  close(): void {
    this.#access.close();
  }

  async #rotate({ ask, store }: Rotation<Refusal>): Promise<Rotated | Refusal> {
    const answer = await ask(this.#refresh);
    if (!('refresh' in answer)) return answer;
    // At once: the one before is used up, whatever becomes of this one.
    this.#refresh = answer.refresh;
    return (await store(answer.token, answer.refresh)) ?? answer;
  }
}
