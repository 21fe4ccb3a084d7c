import Type from 'typebox';

import {
  ACTOR_TYPES,
  AUDIT_ACTIONS,
  type AuditAction,
  type AuditEntry,
  SUBJECT_TYPES,
} from '../../model/audit.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import { parseTimestamp, timestamp } from '../../model/timestamp.ts';
import type { AuditFilter } from '../../store/audit.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Parameter, type Query, type Route, userRoute } from '../route.ts';
import { Id, Timestamp, listOf, nullable } from '../schemas.ts';
import type { Services } from '../services.ts';

const Named = nullable(Type.String({ description: 'As it was called then.' }));
const Value = Type.Optional(nullable(Type.String()));

export const AuditEntrySchema = Type.Object(
  {
    id: Id,
    created_at: Timestamp,
    actor: Type.Object({
      type: Type.Enum([...ACTOR_TYPES], {
        description: '`operator` is the command line, on the machine of the service.',
      }),
      id: nullable(Id),
      name: Named,
    }),
    action: Type.Enum([...AUDIT_ACTIONS]),
    subject: Type.Object({ type: Type.Enum([...SUBJECT_TYPES]), id: Id, name: Named }),
    application_id: nullable(Id),
    changes: Type.Array(Type.Object({ field: Type.String(), from: Value, to: Value }), {
      description: 'The fields that were changed; of a secret only its name.',
    }),
  },
  { title: 'AuditEntry' },
);

const FILTERS = [
  {
    name: 'action',
    description:
      'Only what was done so, such as `application.deleted`, or to one kind of thing, such as `application`. Several are separated by commas.',
    schema: { type: 'string', examples: ['application.deleted', 'key,token'] },
  },
  {
    name: 'actor_id',
    description: 'Only what this user or application did.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'subject_id',
    description: 'Only what was done to this one.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'application_id',
    description: 'Only what was done to this application and what belongs to it.',
    schema: { type: 'integer', format: 'int64' },
  },
  {
    name: 'created_after',
    description: 'Only what was done later than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-15T00:00:00'] },
  },
  {
    name: 'created_before',
    description: 'Only what was done earlier than this, UTC.',
    schema: { type: 'string', examples: ['2026-11-16T00:00:00'] },
  },
] as const satisfies readonly Parameter[];

/** Who changed what. There is no call that changes it. */
export function auditRoutes({ store }: Services): Route[] {
  return [
    userRoute({
      method: 'GET',
      path: '/1/audit',
      operationId: 'listAuditEntries',
      tag: 'Audit',
      summary: 'See who changed what',
      description:
        'Changes to the team, its users, applications, integrations, keys and webhooks, sign-ins, and messages that a person resent or canceled, the most recent first. A filter that nothing can match lists nothing.',
      query: [...PAGING, ...FILTERS],
      success: { status: 200, description: 'A page of them.', schema: listOf(AuditEntrySchema) },
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

/** Undefined when nothing can match, as where a part of it makes no sense. */
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

/** The actions that are named, by their whole name or by what they are done to. */
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
