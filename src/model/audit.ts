import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/* Who changed what in a team. */

export const AUDIT_ACTIONS = [
  'application.created',
  'application.updated',
  'application.deleted',
  'integration.created',
  'integration.updated',
  'integration.deleted',
  'webhook.rotated',
  'webhook.resumed',
  'webhook.recovered',
  'webhook.resent',
  'key.created',
  'key.revoked',
  'token.created',
  'message.canceled',
  'message.resent',
  'message.retried',
  'team.updated',
  'user.created',
  'user.updated',
  'user.deleted',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'session.link_created',
  'session.started',
  'session.ended',
  'session.ended_everywhere',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** `operator` is whoever has the machine, and its command line. */
export const ACTOR_TYPES = ['user', 'application', 'operator'] as const;

export type ActorType = (typeof ACTOR_TYPES)[number];

export const SUBJECT_TYPES = [
  'application',
  'integration',
  'key',
  'message',
  'job',
  'team',
  'user',
  'invitation',
] as const;

export interface AuditSubject {
  type: (typeof SUBJECT_TYPES)[number];
  id: Id;
  /** As it was called then. */
  name?: string | null;
  /** The application that it is of, or is. */
  applicationId?: Id;
}

/** A field that was changed, by the name that the interface has for it; its values only where they are no secret. */
export interface FieldChange {
  field: string;
  from?: string | null;
  to?: string | null;
}

/** A line of the log. It is never changed, and goes when it is old. */
export interface AuditEntry {
  teamId: Id;
  id: Id;
  actorType: ActorType;
  actorId: Id | null;
  /** As they were called then. */
  actorName: string | null;
  action: AuditAction;
  subjectType: AuditSubject['type'];
  subjectId: Id;
  subjectName: string | null;
  applicationId: Id | null;
  /** JSON: what was changed. */
  changes: string;
  createdAt: Millis;
}

/** A field whose values may be seen; nothing when it stays as it is. */
export function visible(
  field: string,
  from: string | null,
  to: string | null | undefined,
): FieldChange[] {
  return to === undefined || to === from ? [] : [{ field, from, to }];
}

/** A field whose values may not be seen. */
export function hidden(field: string, isChanged: boolean): FieldChange[] {
  return isChanged ? [{ field }] : [];
}

/** An address, of which it is seen where it leads: the rest of it may hold a secret. */
export function visibleOrigin(
  field: string,
  from: string | null,
  to: string | null | undefined,
): FieldChange[] {
  if (to === undefined || to === from) return [];
  return [{ field, from: originOf(from), to: originOf(to) }];
}

const originOf = (url: string | null) => (url === null ? null : new URL(url).origin);
