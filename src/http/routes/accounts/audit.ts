import Type from 'typebox';

import {
  ACTOR_TYPES,
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  SUBJECT_TYPES,
} from '../../../model/audit.ts';
import { NO_ID, parseId } from '../../../model/id.ts';
import { parseTimestamp, timestamp } from '../../../model/timestamp.ts';
import type { AuditFilter } from '../../../store/accounts/audit.ts';
import { Id, Timestamp, listOf, nullable } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import { type Parameter, type Query, type Route, userRoute } from '../../server/route.ts';
import type { Services } from '../../services.ts';

const Named = nullable(Type.String({ description: 'The name at that time.' }));
const Value = Type.Optional(nullable(Type.String()));

export const AuditEntrySchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    actor: Type.Object({
      type: Type.Enum([...ACTOR_TYPES], {
        description: '`operator` is the command line on the machine of the service.',
      }),
      id: nullable(Id),
      name: Named,
    }),
    action: Type.Enum([...AUDIT_ACTIONS]),
    subject: Type.Object({ type: Type.Enum([...SUBJECT_TYPES]), id: Id, name: Named }),
    application_id: nullable(Id),
    changes: Type.Array(Type.Object({ field: Type.String(), from: Value, to: Value }), {
      description: 'The changed fields; for secrets, only the name.',
    }),
  },
  { title: 'AuditEntry' },
);

const FILTERS = [
  {
    name: 'action',
    description:
      'Only entries with this action, such as `application.deleted`, or about this kind of resource, such as `application`. Separate several with commas.',
    schema: { type: 'string', examples: ['application.deleted', 'key,token'] },
  },
  {
    name: 'actor_id',
    description: 'Only entries by this user or application.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'subject_id',
    description: 'Only entries about this resource.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'application_id',
    description: 'Only entries about this application and its resources.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'created_after',
    description: 'Only entries after this time, UTC.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'created_before',
    description: 'Only entries before this time, UTC.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
] as const satisfies readonly Parameter[];

/** The audit log is read-only. */
export function auditRoutes({ store }: Services): Route[] {
  return [
    userRoute({
      method: 'GET',
      path: '/1/audit',
      operationId: 'listAuditEntries',
      tag: 'Audit',
      summary: 'List audit entries',
      description:
        'Changes to the team, its users, applications, integrations, keys and webhooks; sign-ins; messages changed, canceled, resent or retried, and contacts imported, by a person; contacts merged or erased. Newest first. A filter without matches gives an empty list.',
      query: [...PAGING, ...FILTERS],
      success: {
        status: 200,
        description: 'A page of audit entries.',
        schema: listOf(AuditEntrySchema),
      },
      async handle(call) {
        const filter = readFilter(call.query);
        const page = filter
          ? await store.audit.list(call.caller.teamId, filter, pageRequest(call.query))
          : { items: [], older: false, newer: false };
        return listAnswer(call, '/1/audit', page, (item) => JSON.stringify(view(item)));
      },
    }),
  ];
}

/** Undefined if nothing can match, for example because a value is malformed. */
function readFilter(query: Query): AuditFilter | undefined {
  const { action, actor_id, subject_id, application_id, created_after, created_before } = query;
  const filter: AuditFilter = {};
  if (action !== undefined) {
    filter.actions = actionsIn(action);
    if (filter.actions.length === 0) return undefined;
  }
  if (actor_id !== undefined) filter.actorId = parseId(actor_id) ?? NO_ID;
  if (subject_id !== undefined) filter.subjectId = parseId(subject_id) ?? NO_ID;
  if (application_id !== undefined) filter.applicationId = parseId(application_id) ?? NO_ID;
  if (created_after !== undefined) {
    const at = parseTimestamp(created_after);
    if (at === undefined) return undefined;
    filter.createdAfter = at;
  }
  if (created_before !== undefined) {
    const at = parseTimestamp(created_before);
    if (at === undefined) return undefined;
    filter.createdBefore = at;
  }
  return filter;
}

/** Actions by full name, or by their resource. */
function actionsIn(text: string): AuditAction[] {
  const names = text.split(',').map((name) => name.trim());
  return AUDIT_ACTIONS.filter((action) =>
    names.some((name) => action === name || action.startsWith(`${name}.`)),
  );
}

const view = (entry: AuditEntry) => ({
  id: entry.id,
  created_at: timestamp(entry.createdAt),
  actor: { type: entry.actorType, id: entry.actorId, name: entry.actorName },
  action: entry.action,
  subject: { type: entry.subjectType, id: entry.subjectId, name: entry.subjectName },
  application_id: entry.applicationId,
  changes: JSON.parse(entry.changes) as unknown,
});
