import type { SwitchboardError } from '../../../sdk/src/index.ts';
import { PROBLEMS, type ProblemCode } from '../../model/problem.ts';
import { CliError, EXIT } from '../exit.ts';
import type { Vocabulary } from '../parameters.ts';

/** Checks by name, not by class: most commands never load the client. */
export function isApiError(error: unknown): error is SwitchboardError {
  return error instanceof Error && error.name === 'SwitchboardError';
}

/** One line: the fields by the names that the caller used, the code, and the help text. */
export function toCliError(error: SwitchboardError, vocabulary: Vocabulary): CliError {
  const { code } = error;
  const help = Object.hasOwn(PROBLEMS, code) ? helpFor(code as ProblemCode, vocabulary) : '';
  const action = code === 'no_answer' ? 'Check the URL, and that the server is running.' : help;
  const message = `${describeError(error, vocabulary)} (${code}). ${action}`;
  const line = message.replaceAll(/\p{Cc}+/gu, ' ').trimEnd();
  return new CliError(line, code === 'not_found' ? EXIT.notFound : EXIT.failed);
}

/** The wrong fields by the names that the caller used. */
export function describeError(
  { detail, errors }: Pick<SwitchboardError, 'detail' | 'errors'>,
  { nameOf }: Vocabulary,
): string {
  const [first] = errors;
  if (!first) return detail;
  // A detail that repeats the pointer is only a summary of the fields.
  if (!detail.startsWith(first.pointer)) return `${nameOf(first.pointer)}: ${detail}`;
  return errors.map(({ pointer, detail: text }) => `${nameOf(pointer)}: ${text}`).join('; ');
}

function helpFor(code: ProblemCode, { help }: Vocabulary): string {
  return help[code] ?? PROBLEMS[code].help;
}
