import type { AuditEntry, Channel } from '../api/types.ts';
import { fullName } from '../integrations/integration-name.tsx';

/* Audit actions as text that follows the name of the actor. */

const ACTION_TEXTS: Record<AuditEntry['action'], string> = {
  'application.created': 'created the application',
  'application.updated': 'changed the application',
  'application.deleted': 'deleted the application',
  'integration.created': 'added the integration',
  'integration.updated': 'changed the integration',
  'integration.deleted': 'deleted the integration',
  'webhook.rotated': 'rotated the webhook secret of',
  'webhook.resumed': 'resumed the webhook of',
  'webhook.recovered': 'recovered events for the webhook of',
  'webhook.resent': 'resent an event to the webhook of',
  'key.created': 'created the key',
  'key.revoked': 'revoked the key',
  'token.created': 'created a token with the key',
  'message.canceled': 'canceled the message',
  'message.changed': 'changed the scheduled message',
  'message.resent': 'resent the message',
  'message.retried': 'retried the message',
  'contact.merged': 'merged another contact into the contact',
  'contact.unmerged': 'unmerged a contact from the contact',
  'contact.imported': 'imported contacts with the import',
  'contact.import_canceled': 'canceled the import',
  'contact.erased': 'erased the contact',
  'team.updated': 'changed the team',
  'user.created': 'added',
  'user.updated': 'changed the account of',
  'user.deleted': 'removed',
  'invitation.created': 'created the invitation',
  'invitation.revoked': 'revoked the invitation',
  'invitation.accepted': 'joined with the invitation',
  'session.link_created': 'created a sign-in link for',
  'session.started': 'signed in',
  'session.ended': 'signed out',
  'session.ended_everywhere': 'signed out everywhere',
};

/** Actions on many messages at once. */
const BULK_ACTION_TEXTS: Partial<typeof ACTION_TEXTS> = {
  'message.canceled': 'stopped the job',
  'message.resent': 'resent messages in bulk with the job',
};

const isOwnAccount = ({ actor, subject }: AuditEntry) =>
  subject.type === 'user' && actor.type === 'user' && subject.id === actor.id;

export function actionText(entry: AuditEntry): string {
  const { action, subject } = entry;
  if (action === 'user.updated' && isOwnAccount(entry)) return 'changed their own account';
  return (subject.type === 'job' ? BULK_ACTION_TEXTS[action] : undefined) ?? ACTION_TEXTS[action];
}

/** The actor's name at that time. */
export function actorOf({ actor: { type, id, name } }: AuditEntry): string {
  if (type === 'operator') return 'The operator';
  return name ?? `${type === 'user' ? 'User' : 'Application'} ${id}`;
}

/** The name of what the action changed; undefined if the text already says it. */
export function subjectOf(
  entry: AuditEntry,
  channels: readonly Channel[] | undefined,
): string | undefined {
  const { action, subject } = entry;
  if (action.startsWith('session.') && action !== 'session.link_created') return undefined;
  if (isOwnAccount(entry)) return action === 'user.updated' ? undefined : 'themselves';
  if (subject.name === null) return String(subject.id);
  if (subject.type !== 'integration') return subject.name;
  const label = entry.changes.find(({ field }) => field === 'label')?.to ?? undefined;
  const { id, name } = subject;
  return fullName({ id, name, ...(label !== undefined && { label }) }, channels);
}
