import type { Id } from './id.ts';
import type { State } from './state.ts';
import type { Millis } from './timestamp.ts';

/** Who shares applications. Its owner also manages its users. */
export interface Team {
  id: Id;
  name: string;
  ownerId: Id;
  createdAt: Millis;
  updatedAt: Millis;
}

/** A person's account. `password` is a PHC string, or null until one is chosen. */
export interface User {
  id: Id;
  teamId: Id;
  name: string;
  email: string;
  password: string | null;
  state: State;
  createdAt: Millis;
  updatedAt: Millis;
}

export type KeyKind = 'user' | 'application';

/**
 * Why a key exists: `api` was asked for and stays, `login` came with a sign-in and ends with the
 * password, `minted` was made for one token by someone already trusted.
 */
export type KeyPurpose = 'api' | 'login' | 'minted';

/** What signs tokens. It belongs to one user or one application; that makes the kind of token. */
export interface Key {
  id: Id;
  kind: KeyKind;
  resourceId: Id;
  teamId: Id;
  purpose: KeyPurpose;
  secret: string;
  state: State;
  expiresAt: Millis | null;
  lastUsedAt: Millis | null;
  /** The user who made it; null for the operator. They may have left the team since. */
  createdBy: Id | null;
  /** What it is for, in the words of whoever made it. */
  label: string | null;
  createdAt: Millis;
  updatedAt: Millis;
}

/** Who made a key, and what for. */
export type KeyOrigin = Pick<Key, 'createdBy' | 'label'>;

/** What a list of keys shows: everything but the secret. */
export type KeyInfo = Omit<Key, 'secret'>;

export interface UserPrincipal {
  kind: 'user';
  keyId: Id;
  userId: Id;
  teamId: Id;
  state: State;
  /** Whether this user owns the team, and so may manage its users. */
  ownsTeam: boolean;
}

export interface ApplicationPrincipal {
  kind: 'application';
  keyId: Id;
  applicationId: Id;
  teamId: Id;
  state: State;
  /** The user who acts for the application, when it is not the application itself. */
  userId?: Id;
}

/** A sign-in to the console. It lasts no longer than its key, which signs the tokens that the console calls with. */
export interface Session {
  teamId: Id;
  /** SHA-256 of what the browser keeps. */
  hash: string;
  userId: Id;
  keyId: Id;
  createdAt: Millis;
  seenAt: Millis;
}

/** A user who is signed in to the console. */
export interface SessionPrincipal extends UserPrincipal {
  session: Session;
  /** When the session ends, however much it is used. */
  endsAt: Millis;
}

/** A link that lets somebody join a team, once. */
export interface Invitation {
  teamId: Id;
  id: Id;
  /** SHA-256 of the code in the link. */
  hash: string;
  /** Whom it is meant for, when that was said. */
  email: string | null;
  invitedBy: Id;
  createdAt: Millis;
  expiresAt: Millis;
}

/** Whom a token speaks for. */
export type Principal = UserPrincipal | ApplicationPrincipal;

export const PASSWORD_LENGTH = { min: 8, max: 1024 };

/** Whether it can be an email address; whether mail arrives there is another matter. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(text);
}

/** Email addresses are compared without regard to case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}
