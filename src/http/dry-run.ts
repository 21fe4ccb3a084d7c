import { Problem } from '../model/problem.ts';
import type { Parameter, Query } from './route.ts';

/** The parameter by which a call only says what it would do. */
export const dryRun = (answer: string): Parameter => ({
  name: 'dry_run',
  description: `With \`true\`, nothing is stored or sent: the answer is ${answer}.`,
  schema: { type: 'string', enum: ['true', 'false'] },
});

/** What is neither yes nor no is better refused than taken for either. */
export function isDryRun({ dry_run = 'false' }: Query): boolean {
  if (dry_run === 'true' || dry_run === 'false') return dry_run === 'true';
  throw new Problem('invalid_fields', 'dry_run must be true or false; nothing was accepted');
}
