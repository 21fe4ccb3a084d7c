import Type from 'typebox';

import { MAX_RETENTION_DAYS, longestRetention } from '../../../model/policies/retention.ts';
import { invalidFields } from '../../../model/problem.ts';
import { nullable } from '../../openapi/schemas.ts';

const Days = nullable(
  Type.Integer({
    minimum: 1,
    maximum: MAX_RETENTION_DAYS,
    description:
      'The days for which settled messages, events, conversations and chats are kept: at most 13 times those of the service. Null keeps them as long as the service does.',
    examples: [7],
  }),
);

export const RetentionSchema = Type.Object(
  {
    days: Days,
    service_days: Type.Integer({
      readOnly: true,
      description: 'The days of the service, `SWITCHBOARD_RETENTION_DAYS`.',
      examples: [30],
    }),
  },
  { title: 'Retention' },
);

export const RetentionChange = Type.Object({ days: Type.Optional(Days) });

/** Throws if an application cannot keep its data for so long. */
export function checkRetention(days: number, serviceDays: number): void {
  const maxDays = longestRetention(serviceDays);
  if (days > maxDays) {
    throw invalidFields({ pointer: '/retention/days', detail: `must be at most ${maxDays}` });
  }
}
