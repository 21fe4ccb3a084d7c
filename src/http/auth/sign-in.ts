import { randomBytes } from 'node:crypto';

import Type, { type Static } from 'typebox';

import { digest } from '../../lib/crypto/digest.ts';
import {
  hashPassword,
  needsRehash,
  pretendToVerify,
  verifyPassword,
} from '../../lib/crypto/password.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import { type User, normalizeEmail } from '../../model/account.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { Id } from '../../model/id.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import { SignInLimits } from './sign-in-limits.ts';

/** A password, or the code of a link. */
export const Login = Type.Object(
  {
    email: Type.Optional(Type.String({ maxLength: 254, examples: ['ada@example.com'] })),
    password: Type.Optional(Type.String({ maxLength: 1024 })),
    code: Type.Optional(
      Type.String({ maxLength: 128, description: 'The code from a one-time sign-in link.' }),
    ),
  },
  { title: 'SignIn' },
);

export const EXAMPLE_LOGIN = { email: 'ada@example.com', password: 'correct horse battery staple' };

const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Signs users in with a password or a one-time link, and limits guesses. */
export class SignIn {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #limits: SignInLimits;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#limits = new SignInLimits(store, clock);
  }

  /** Signs in with the given credentials; throws if they are incomplete or wrong. */
  authenticate({ email, password, code }: Static<typeof Login>, ip: string): Promise<User> {
    if (code !== undefined) return this.byLink(code, ip);
    if (email !== undefined && password !== undefined) return this.byPassword(email, password, ip);
    const missing = [
      ...(email === undefined ? [{ pointer: '/email', detail: 'is required' }] : []),
      ...(password === undefined ? [{ pointer: '/password', detail: 'is required' }] : []),
    ];
    throw invalidFields(...missing);
  }

  async byPassword(email: string, password: string, ip: string): Promise<User> {
    const account = normalizeEmail(email);
    const user = await this.#store.users.byEmail(account);
    const attempt = await this.#limits.count(account, user, ip);
    requireNoWait(attempt.waitMs);
    const hash = user?.password;
    // An unknown account takes as long as an existing one.
    const isRight = hash ? await verifyPassword(password, hash) : await pretendToVerify(password);
    if (!user || !isRight) {
      throw new Problem('login_failed', 'no user has this email and password');
    }
    await attempt.succeed(user);
    refuseDisabled(user);
    if (hash && needsRehash(hash)) {
      await this.#store.users.rehash(user.id, await hashPassword(password));
    }
    return user;
  }

  /** Not rate limited: a code of 192 bits cannot be guessed, and a limit could block the only way in. */
  async byLink(code: string, ip: string): Promise<User> {
    const userId = await this.#store.users.takeSignInLink(digest(code), this.#clock.now());
    const user = userId && (await this.#store.users.get(userId));
    if (user) {
      refuseDisabled(user);
      await this.#limits.remember(user, ip);
      return user;
    }
    throw new Problem('login_failed', 'the sign-in link was used before or has expired');
  }

  /** Creates the code of a sign-in link that works once. */
  async createLink(userId: Id, audit?: AuditEntry): Promise<string> {
    const code = randomBytes(24).toString('base64url');
    const expiresAt = this.#clock.now() + LINK_LIFETIME_MS;
    await this.#store.users.insertSignInLink(digest(code), userId, expiresAt, audit);
    return code;
  }
}

/** Throws if the caller must wait before the next guess. */
export function requireNoWait(wait: Millis): void {
  if (wait === 0) return;
  const seconds = Math.ceil(wait / 1000);
  throw new Problem('rate_limited', `too many failed attempts; wait ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function refuseDisabled({ state }: User): void {
  if (state !== 'enable') throw new Problem('user_disabled', 'the user is disabled');
}
