import { Problem } from '../model/problem.ts';
import type { Parameter, Query } from './server/route.ts';

/** Query parameter for calls that only preview their effect. */
export const dryRun = (answer: string): Parameter => ({
  name: 'dry_run',
  description: `With \`true\`, nothing is stored or sent: the response is ${answer}.`,
  schema: { type: 'string', enum: ['true', 'false'] },
});

/** Refuses other values, since guessing could send a message. */
export function isDryRun({ dry_run = 'false' }: Query): boolean {
  if (dry_run === 'true' || dry_run === 'false') return dry_run === 'true';
  throw new Problem('invalid_fields', 'dry_run must be true or false; nothing was accepted');
}
