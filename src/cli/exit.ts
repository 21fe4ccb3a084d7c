/** Exit codes for scripts. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** Invalid command line or setting; nothing was done. */
  usage: 2,
  notFound: 3,
} as const;

/** A one-line message for the user. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
