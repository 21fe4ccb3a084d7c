import type { SignIn, Token, TokenLifetime } from '../api.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Tokens issued by the service. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Signs in with `email` and `password`, or with the `code` of a one-time link, and returns a user token. Needs no token.
   * `Switchboard.signIn` returns a client with that token.
   */
  signIn(fields: SignIn, options?: CallOptions): Promise<Token> {
    return this.#transport.call('POST /1/tokens', { body: fields }, options);
  }

  /** Issues an application token. It is valid for 30 days by default. Needs a user token. */
  forApplication(id: number, lifetime: TokenLifetime = {}, options?: CallOptions): Promise<Token> {
    const input = { path: { id }, body: lifetime };
    return this.#transport.call('POST /1/applications/{id}/tokens', input, options);
  }
}
