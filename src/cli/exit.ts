/** What scripts can tell apart. */
export const EXIT = {
  ok: 0,
  /** It was tried, and did not work out. */
  failed: 1,
  /** The command line or a setting is wrong; nothing was tried. */
  usage: 2,
  /** What was named does not exist. */
  notFound: 3,
} as const;

/** Something to be said to whoever typed the command, in one line. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
