import { type Command, InvalidArgumentError } from 'commander';

/** Adds the options of all remote commands. */
export function remote(command: Command, { json = true } = {}): Command {
  const described = command
    .option(
      '--profile <name>',
      'name of the profile; default SWITCHBOARD_PROFILE or the current one',
    )
    .option('--application <id>', 'application to act for, with a user token');
  return json ? described.option('--json', 'print JSON') : described;
}

export function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 1_000_000) return number;
  throw new InvalidArgumentError('Expected a whole number from 1 to 1000000.');
}
