import { digest } from '../../lib/crypto/digest.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Key, SessionPrincipal, User } from '../../model/account.ts';
import { parseId } from '../../model/id.ts';
import { Problem } from '../../model/problem.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { Audit } from '../audit.ts';
import { type Tokens, generateSecret, signToken } from './tokens.ts';

/** Lifetime of a token for the console. */
const TOKEN_LIFETIME_MS = 5 * 60_000;
/** Minimum interval between updates of a session's last use. */
const TOUCH_INTERVAL_MS = 60_000;

export interface SessionsOptions {
  store: Store;
  clock: Clock;
  tokens: Tokens;
  audit: Audit;
  /** A session ends after this time without use, in milliseconds. */
  idle: Millis;
  /** Maximum lifetime of a session. */
  maxLifetime: Millis;
}

/** A new session for a browser. */
interface NewSession {
  principal: SessionPrincipal;
  /** The cookie value. Only its digest is stored. */
  cookie: string;
  /** Lifetime of the cookie. */
  seconds: number;
}

/** Console sessions, and the API tokens they use. */
export class Sessions {
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Starts a session at sign-in and ends the browser's previous one. */
  async begin(user: User, previousCookie: string | undefined): Promise<NewSession> {
    const { store, clock, maxLifetime: longest } = this.#options;
    const now = clock.now();
    const { id: userId, teamId } = user;
    const secret = generateSecret();
    const endsAt = now + longest;
    const key: Key = {
      id: await store.nextId(),
      kind: 'user',
      resourceId: userId,
      teamId,
      purpose: 'login',
      secret: generateSecret(),
      state: 'enable',
      expiresAt: endsAt,
      lastUsedAt: null,
      createdBy: userId,
      label: null,
      createdAt: now,
      updatedAt: now,
    };
    const hash = digest(secret);
    const session = { teamId, hash, userId, keyId: key.id, createdAt: now, seenAt: now };
    const previous = await this.#lookUp(previousCookie);
    const actor = { kind: 'user', userId, teamId } as const;
    const entry = await this.#options.audit.session(actor, 'session.started');
    await store.sessions.begin(session, key, previous?.session, entry);
    if (previous) this.#options.tokens.forget(previous.session.keyId);
    const principal = await this.#find(`${teamId}.${secret}`);
    if (!principal) throw new Error('session vanished right after sign-in');
    return { principal, cookie: `${teamId}.${secret}`, seconds: Math.floor(longest / 1000) };
  }

  /** The session of the cookie; throws if there is none or it has ended. */
  async authenticate(cookie: string | undefined): Promise<SessionPrincipal> {
    const principal = await this.#find(cookie);
    if (!principal) throw new Problem('session_missing', 'no session, or the session has ended');
    return principal;
  }

  /** Issues an API token that ends with the session. */
  async token({
    session,
    endsAt,
  }: SessionPrincipal): Promise<{ token: string; expiresAt: Millis }> {
    const { store, clock } = this.#options;
    const signer = await store.keys.signer(session.keyId);
    if (!signer) throw new Problem('session_missing', 'the session has ended');
    const now = clock.now();
    const expiresAt = Math.min(now + TOKEN_LIFETIME_MS, endsAt);
    return { token: signToken(session.keyId, signer.secret, now, expiresAt), expiresAt };
  }

  async end(caller: SessionPrincipal): Promise<void> {
    const { store, audit } = this.#options;
    const entry = await audit.session(caller, 'session.ended');
    await store.sessions.end(caller.session, entry);
    this.#options.tokens.forget(caller.session.keyId);
  }

  /** Ends all sessions of the user, and all tokens issued for a password. */
  async endAll(caller: SessionPrincipal): Promise<void> {
    const { store, audit } = this.#options;
    const entry = await audit.session(caller, 'session.ended_everywhere');
    await store.sessions.endAll(caller.teamId, caller.userId, entry);
    this.#options.tokens.forget(caller.userId);
  }

  async #find(cookie: string | undefined): Promise<SessionPrincipal | undefined> {
    const { store, clock, idle } = this.#options;
    const { session, signer } = (await this.#lookUp(cookie)) ?? {};
    if (!session || signer?.state !== 'enable' || signer.principal.state !== 'enable') {
      return undefined;
    }
    const now = clock.now();
    const { principal, expiresAt: endsAt } = signer;
    if (principal.kind !== 'user' || endsAt === null) return undefined;
    if (endsAt <= now || session.seenAt + idle <= now) return undefined;
    if (now - session.seenAt >= TOUCH_INTERVAL_MS) await store.sessions.touch(session, now);
    return { ...principal, session, endsAt };
  }

  #lookUp(cookie: string | undefined) {
    const [teamId, secret] = cookie?.split('.', 2) ?? [];
    const team = parseId(teamId);
    if (!team || !secret) return undefined;
    return this.#options.store.sessions.find(team, digest(secret));
  }
}
