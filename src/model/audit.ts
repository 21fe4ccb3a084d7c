import type { Id } from './id.ts';
import type { Millis } from './timestamp.ts';

/* The audit log: who changed what in a team. */

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
  'message.changed',
  'message.resent',
  'message.retried',
  'contact.merged',
  'contact.unmerged',
  'contact.imported',
  'contact.import_canceled',
  'contact.erased',
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

/** `operator`: a person with access to the machine and its command line. */
export const ACTOR_TYPES = ['user', 'application', 'operator'] as const;

type ActorType = (typeof ACTOR_TYPES)[number];

export const SUBJECT_TYPES = [
  'application',
  'integration',
  'key',
  'message',
  'job',
  'import',
  'contact',
  'team',
  'user',
  'invitation',
] as const;

export interface AuditSubject {
  type: (typeof SUBJECT_TYPES)[number];
  id: Id;
  /** The name at the time of the change. */
  name?: string | null;
  /** The application that it belongs to, or is. */
  applicationId?: Id;
}

/** A changed field, named as in the API. Values are included only if they are not secret. */
export interface FieldChange {
  field: string;
  from?: string | null;
  to?: string | null;
}

/** Entries are never changed; retention deletes them. */
export interface AuditEntry {
  teamId: Id;
  id: Id;
  actorType: ActorType;
  actorId: Id | null;
  /** The name at the time of the change. */
  actorName: string | null;
  action: AuditAction;
  subjectType: AuditSubject['type'];
  subjectId: Id;
  subjectName: string | null;
  applicationId: Id | null;
  /** The changed fields, as JSON. */
  changes: string;
  createdAt: Millis;
}

/** The change of a field with public values; empty if nothing changed. */
export function visible(
  field: string,
  from: string | null,
  to: string | null | undefined,
): FieldChange[] {
  return to === undefined || to === from ? [] : [{ field, from, to }];
}

/** The change of a field with secret values. */
export function hidden(field: string, isChanged: boolean): FieldChange[] {
  return isChanged ? [{ field }] : [];
}

/** The change of a URL. Shows its origin only, because the rest may contain a secret. */
export function visibleOrigin(
  field: string,
  from: string | null,
  to: string | null | undefined,
): FieldChange[] {
  if (to === undefined || to === from) return [];
  return [{ field, from: originOf(from), to: originOf(to) }];
}

const originOf = (url: string | null) => (url === null ? null : new URL(url).origin);
