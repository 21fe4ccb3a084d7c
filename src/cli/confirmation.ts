import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';

import { CliError, EXIT } from './exit.ts';

/** Options of a command that cannot be undone. */
export interface Confirmation {
  yes?: true;
}

/** Asks whether to do it, and lets the person type the id. A script gives --yes. */
export async function confirm({ yes }: Confirmation, question: string, id: number): Promise<void> {
  if (yes) return;
  if (!stdin.isTTY) throw new CliError('add --yes to go on without being asked', EXIT.usage);
  const terminal = createInterface({ input: stdin, output: stderr });
  const answer = await terminal.question(`${question} Type ${id}: `);
  terminal.close();
  if (answer.trim() !== String(id)) throw new CliError('canceled, nothing changed');
}
