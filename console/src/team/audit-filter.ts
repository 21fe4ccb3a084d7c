import type { AuditAction } from '../../../src/model/audit.ts';
import type { QueryValues } from '../api/client.ts';
import { type SearchText, compact, numberIn } from '../frame/search.ts';
import { rangeIn, rangeQuery } from '../messages/filter.ts';
import type { TimeRange } from '../messages/filter.ts';

/** Filter of the audit log, kept in the URL. */
export interface AuditFilter extends TimeRange {
  /** Comma-separated kinds of resources, or full action names. */
  action?: string;
  actor?: number;
  subject?: number;
  application?: number;
}

type AuditKind = AuditAction extends `${infer Kind}.${string}` ? Kind : never;

/** Kinds of resources, with which action names begin. */
const KIND_LABELS: Readonly<Record<AuditKind, string>> = {
  application: 'Applications',
  integration: 'Integrations',
  webhook: 'Webhooks',
  key: 'Keys',
  token: 'Tokens',
  message: 'Messages',
  contact: 'Contacts',
  team: 'Team',
  user: 'Users',
  invitation: 'Invitations',
  session: 'Sign-ins',
};

export const KINDS: Readonly<Record<string, string>> = KIND_LABELS;

export const kindsOf = ({ action = '' }: AuditFilter): string[] =>
  action.split(',').filter((name) => name !== '');

export const readAuditSearch = (search: SearchText): AuditFilter =>
  compact({
    action: search['action'],
    actor: numberIn(search, 'actor'),
    subject: numberIn(search, 'subject'),
    application: numberIn(search, 'application'),
    ...rangeIn(search),
  });

export const auditQueryOf = (filter: AuditFilter): QueryValues => ({
  action: filter.action,
  actor_id: filter.actor,
  subject_id: filter.subject,
  application_id: filter.application,
  ...rangeQuery(filter),
});
