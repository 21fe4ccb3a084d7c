import type { Id } from './id.ts';
import type { State } from './state.ts';
import type { Millis } from './timestamp.ts';

/** Users who share applications. The owner also manages the users. */
export interface Team {
  id: Id;
  name: string;
  ownerId: Id;
  createdAt: Millis;
  updatedAt: Millis;
}

/** `password` is a PHC string, or null until the user sets one. */
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
 * `api`: requested explicitly, permanent. `login`: created at sign-in and revoked with the password. `minted`:
 * created to sign one token for a caller that is already authenticated.
 */
export type KeyPurpose = 'api' | 'login' | 'minted';

/** Signs tokens. A key belongs to one user or one application, which determines the kind of token. */
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
  /** The user who created it, who may have left the team; null for the operator. */
  createdBy: Id | null;
  /** The purpose, as its creator describes it. */
  label: string | null;
  createdAt: Millis;
  updatedAt: Millis;
}

export type KeyOrigin = Pick<Key, 'createdBy' | 'label'>;

/** A key as lists show it: without the secret. */
export type KeyInfo = Omit<Key, 'secret'>;

export interface UserPrincipal {
  kind: 'user';
  keyId: Id;
  userId: Id;
  teamId: Id;
  state: State;
  /** The owner of a team may manage its users. */
  ownsTeam: boolean;
}

export interface ApplicationPrincipal {
  kind: 'application';
  keyId: Id;
  applicationId: Id;
  teamId: Id;
  state: State;
  /** The user who acts on behalf of the application, if any. */
  userId?: Id;
}

/** A sign-in to the console. It ends with its key, which signs the tokens of the console. */
export interface Session {
  teamId: Id;
  /** SHA-256 of the cookie value. */
  hash: string;
  userId: Id;
  keyId: Id;
  createdAt: Millis;
  seenAt: Millis;
}

export interface SessionPrincipal extends UserPrincipal {
  session: Session;
  /** The absolute end of the session, regardless of use. */
  endsAt: Millis;
}

/** A link that lets a person join a team, once. */
export interface Invitation {
  teamId: Id;
  id: Id;
  /** SHA-256 of the code in the link. */
  hash: string;
  /** The intended recipient, if given. */
  email: string | null;
  invitedBy: Id;
  createdAt: Millis;
  expiresAt: Millis;
}

/** The caller that a token authenticates. */
export type Principal = UserPrincipal | ApplicationPrincipal;

export const PASSWORD_LENGTH = { min: 8, max: 1024 };

/** Checks the format only, not whether the address exists. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@<>"]+@[^\s@<>"]+$/.test(text);
}

/** Email addresses are compared case-insensitively. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
