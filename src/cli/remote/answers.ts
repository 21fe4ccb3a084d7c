import type { SwitchboardError } from '../../../sdk/src/index.ts';
import { PROBLEMS, type ProblemCode } from '../../model/problem.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Vocabulary } from '../parameters.ts';

/** Checks by name, not by class: most commands never load the client. */
export function isAnswer(error: unknown): error is SwitchboardError {
  return error instanceof Error && error.name === 'SwitchboardError';
}

/** One line: the fields by the names that the caller used, the code, and what to do. */
export function answerError(error: SwitchboardError, vocabulary: Vocabulary): CliError {
  const { code } = error;
  const help = Object.hasOwn(PROBLEMS, code) ? helpFor(code as ProblemCode, vocabulary) : '';
  const todo = code === 'no_answer' ? 'Check the URL, and that the server is running.' : help;
  const words = `${whatIsWrong(error, vocabulary)} (${code}). ${todo}`;
  const line = words.replaceAll(/\p{Cc}+/gu, ' ').trimEnd();
  return new CliError(line, code === 'not_found' ? EXIT.notFound : EXIT.failed);
}

function whatIsWrong({ detail, errors }: SwitchboardError, { nameOf }: Vocabulary): string {
  const [first] = errors;
  if (!first) return detail;
  // A detail that repeats the pointer is only a summary of the fields.
  if (!detail.startsWith(first.pointer)) return `${nameOf(first.pointer)}: ${detail}`;
  return errors.map(({ pointer, detail: words }) => `${nameOf(pointer)}: ${words}`).join('; ');
}

function helpFor(code: ProblemCode, { help }: Vocabulary): string {
  return help[code] ?? PROBLEMS[code].help;
}
