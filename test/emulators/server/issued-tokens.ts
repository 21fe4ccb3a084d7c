import { textMember } from '../../../src/lib/json/json-member.ts';
import { fieldsIn } from '../../../src/sandbox/wire/fields.ts';
import type { Reply, Request } from './http.ts';

/** Gives the access tokens of a simulator numbers, so that tests can name and revoke them. */
export class IssuedTokens {
  readonly #known = new Map<string, string>();
  #count = 0;

  /** The request with the token of the simulator. */
  resolve(request: Request): Request {
    const { authorization } = request.headers;
    if (authorization === undefined) return request;
    const known = this.#known.get(authorization.replace(/^Bearer /, ''));
    const headers = { ...request.headers, authorization: `Bearer ${known ?? 'unknown'}` };
    return { ...request, headers };
  }

  /** The reply with a numbered token, if it issues one. */
  rename(reply: Reply): Reply {
    const token = textMember(reply.body, 'access_token');
    if (token === undefined) return reply;
    const access_token = `fake-token-${++this.#count}`;
    this.#known.set(access_token, token);
    return { ...reply, body: { ...fieldsIn(reply.body), access_token } };
  }

  add(token: string, known: string): void {
    this.#known.set(token, known);
  }

  /** Revokes all tokens. */
  expire(): void {
    this.#known.clear();
  }
}
