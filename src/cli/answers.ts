import type { SwitchboardError } from '../../sdk/src/index.ts';
import { PROBLEMS } from '../model/problem.ts';
import { CliError, EXIT } from './exit.ts';

/** Whether a server is why a command did not work out. Told by its name: most commands need no client. */
export function isAnswer(error: unknown): error is SwitchboardError {
  return error instanceof Error && error.name === 'SwitchboardError';
}

/** What a server answered, and what to do about it, in one line. */
export function answerError({ code, detail, errors }: SwitchboardError): CliError {
  const fields = errors.slice(1).map(({ pointer, detail: words }) => `; ${pointer} ${words}`);
  const help = Object.entries(PROBLEMS).find(([known]) => known === code)?.[1].help ?? '';
  const todo = code === 'no_answer' ? 'Check the address, and that the server runs.' : help;
  const words = `${detail}${fields.join('')} (${code}). ${todo}`.replaceAll(/\p{Cc}+/gu, ' ');
  return new CliError(words.trimEnd(), code === 'not_found' ? EXIT.notFound : EXIT.failed);
}
