import Type from 'typebox';

import { NO_ID, parseId } from '../../model/id.ts';
import { IGNORED_REASONS, type IgnoredReason, type IgnoredReport } from '../../model/ignored.ts';
import { timestamp } from '../../model/timestamp.ts';
import { Id, Timestamp, listOf } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { type Route, applicationRoute } from '../server/route.ts';
import type { Services } from '../services.ts';

const REASONS = Object.keys(IGNORED_REASONS) as IgnoredReason[];

export const IgnoredSchema = Type.Object(
  {
    id: Id,
    type: Type.String({
      description: "The channel's name for what it reported.",
      examples: ['messages.reaction'],
    }),
    reason: Type.Enum(REASONS),
    description: Type.String({ description: 'The reason, in words.' }),
    count: Type.Integer({
      minimum: 1,
      description: 'Number of reports. The last five seconds may be missing.',
    }),
    first_at: Timestamp,
    last_at: Timestamp,
  },
  { title: 'IgnoredReport' },
);

const view = ({ id, type, reason, count, createdAt, lastAt }: IgnoredReport) => ({
  id,
  type,
  reason,
  description: IGNORED_REASONS[reason],
  count,
  first_at: timestamp(createdAt),
  last_at: timestamp(lastAt),
});

/** Reports that produced no event. */
export function ignoredRoutes({ store }: Services): Route[] {
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/ignored',
      operationId: 'listIgnoredReports',
      tag: 'Integrations',
      summary: 'List the ignored reports of an integration',
      description:
        'Verified webhook requests and session frames that produced no event, counted by type and reason, most recent first. The 100 most recent kinds are kept. The entries contain no message content. An unknown integration, or one of another application, has none.',
      query: PAGING,
      evenDisabled: true,
      success: { status: 200, description: 'A page of reports.', schema: listOf(IgnoredSchema) },
      async handle(call) {
        const { applicationId } = call.caller;
        const id = parseId(call.params['id']) ?? NO_ID;
        const page = (await store.integrations.get(applicationId, id))
          ? await store.ignored.list(applicationId, id, pageRequest(call.query))
          : { items: [], older: false, newer: false };
        const path = `/1/integrations/${id}/ignored`;
        return listAnswer(call, path, page, (item) => JSON.stringify(view(item)));
      },
    }),
  ];
}
