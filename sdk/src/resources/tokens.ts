import type { SignIn, Token, TokenLifetime } from '../api.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Tokens that the service makes. */
export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Signs in with `email` and `password`, or the `code` of a one-time link, and answers a token of that user. Takes
   * no token. `Switchboard.signIn` answers a client that has it.
   */
  signIn(fields: SignIn, options?: CallOptions): Promise<Token> {
    return this.#transport.call('POST /1/tokens', { body: fields }, options);
  }

  /** Makes a token of an application, for 30 days unless told otherwise. Takes a token of a user. */
  forApplication(id: number, lifetime: TokenLifetime = {}, options?: CallOptions): Promise<Token> {
    const given = { path: { id }, body: lifetime };
    return this.#transport.call('POST /1/applications/{id}/tokens', given, options);
  }
}
