import { Command, CommanderError, InvalidArgumentError } from 'commander';

import { ConfigError } from '../config.ts';
import { VERSION } from '../lib/runtime/version.ts';
import { CliError, EXIT } from './exit.ts';
import { explainFileError } from './files.ts';
import { commandLine } from './parameters.ts';
import { endWithReader } from './print.ts';
import { toCliError, isApiError } from './remote/api-errors.ts';
import { addRemoteCommands } from './remote/commands.ts';

/** Each command is in its own file, loaded when it runs. */
export function createProgram(): Command {
  const program = new Command('switchboard')
    .description('One REST interface in front of every messaging channel.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError('(add --help for usage)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nOperator commands are configured with environment variables (docs/configuration.md); docs/command-line.md has details.\nExit codes: 0 success, 1 failure, 2 invalid command line or setting, 3 not found.',
    );

  program.commandsGroup('Remote commands, for any server:');
  addRemoteCommands(program);
  program.commandsGroup('Operator commands, on the local store:');

  program
    .command('serve')
    .description('run the service; creates its store on the first start')
    .option('--role <role>', 'api, deliver or all; default SWITCHBOARD_ROLE')
    .option(
      '--local',
      'for local testing: allow outgoing requests to loopback, unless a public URL, a trusted proxy or another listening address is set',
    )
    .action(async (options: { role?: string; local?: true }) =>
      (await import('./local/serve.ts')).serve(options),
    );

  program
    .command('init')
    .description('create the store, the first team and its first user, unless they exist')
    .option('--email <email>', 'email address of the first user')
    .action(async (options: { email?: string }) => (await import('./local/init.ts')).init(options));

  program
    .command('token')
    .description('print a token, and nothing else, on standard output; default: for the first user')
    .option('--user <email>', 'user token for this user')
    .option('--application <id>', 'application token for this application')
    .option('--days <n>', 'validity in days', days, 30)
    .option('--label <text>', 'name for people, such as "Billing service"')
    .action(
      async (options: { user?: string; application?: string; days: number; label?: string }) =>
        (await import('./local/token.ts')).token(options),
    );

  program
    .command('sign-in-link')
    .description(
      'print a link that signs a user in to the console once, within 24 hours; default: the first user',
    )
    .option('--user <email>', 'user to sign in')
    .option(
      '--url <url>',
      'URL of the console; default SWITCHBOARD_PUBLIC_URL, or the listening address',
    )
    .action(async (options: { user?: string; url?: string }) =>
      (await import('./local/sign-in-link.ts')).signInLink(options),
    );

  const user = program.command('user').description('manage the users of all teams');
  user
    .command('add <email>')
    .description('add a user to a team, optionally with a password')
    .option('--name <name>', 'name of the user')
    .option('--team <id>', 'team of the user; default: the first one')
    .option('--password-stdin', 'read the password from standard input')
    .action(
      async (email: string, options: { name?: string; team?: string; passwordStdin?: true }) =>
        (await import('./local/user.ts')).addUser(email, options),
    );
  user
    .command('list')
    .description('list users')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) =>
      (await import('./local/user.ts')).listUsers(options),
    );
  user
    .command('password <email>')
    .description('set a password, read from standard input; signs the user out everywhere')
    .action(async (email: string) => (await import('./local/user.ts')).setPassword(email));
  for (const state of ['enable', 'disable'] as const) {
    user
      .command(`${state} <email>`)
      .description(`${state} a user`)
      .action(async (email: string) => (await import('./local/user.ts')).setState(email, state));
  }

  const team = program.command('team').description('add or list teams');
  team
    .command('add <name>')
    .description('create a team with its owner')
    .requiredOption('--email <email>', 'email address of its owner')
    .action(async (name: string, options: { email: string }) =>
      (await import('./local/team.ts')).addTeam(name, options),
    );
  team
    .command('list')
    .description('list teams')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) =>
      (await import('./local/team.ts')).listTeams(options),
    );

  program
    .command('channel')
    .description('tools for writing a channel')
    .command('new <name>')
    .description('generate a new channel in this checkout, with its tests')
    .action(async (name: string) => (await import('./channel.ts')).newChannel(name));

  program
    .command('migrate')
    .description('apply pending migrations; serve does so at startup')
    .action(async () => (await import('./local/migrate.ts')).migrate());

  program
    .command('backup <file>')
    .description('copy the embedded store to a file, even while the service runs')
    .action(async (file: string) => (await import('./local/backup.ts')).backup(file));

  program
    .command('restore <file>')
    .description('replace the embedded store with a backup')
    .option('--force', 'replace an existing store; keeps the old one next to it')
    .action(async (file: string, options: { force?: true }) =>
      (await import('./local/restore.ts')).restore(file, options),
    );

  program
    .command('move')
    .description('copy the embedded store to PostgreSQL and verify the copy')
    .requiredOption('--to <url>', 'URL of an empty database, postgres://…')
    .option('--even-if-running', 'copy the current state although a service is running')
    .option('--json', 'print the result as JSON')
    .action(async (options: { to: string; evenIfRunning?: true; json?: true }) =>
      (await import('./local/move.ts')).move(options),
    );

  program
    .command('doctor')
    .description('check settings, store, keys, clock and disk, and suggest fixes')
    .option('--json', 'print JSON')
    .option('--support [file]', 'also write a support report, without secrets, to a file')
    .action(async (options: { json?: true; support?: string | true }) =>
      (await import('./local/doctor.ts')).doctor(options),
    );

  program
    .command('nodes')
    .description('list nodes and the number of integrations each owns')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) =>
      (await import('./local/nodes.ts')).listNodes(options),
    );

  program
    .command('rotate-keys')
    .description('re-encrypt all secrets with a new key, even while the service runs')
    .action(async () => (await import('./local/rotate-keys.ts')).rotateKeys());

  return program;
}

/** Runs a command line; returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  endWithReader();
  try {
    await createProgram().parseAsync(argv);
    return process.exitCode === undefined ? EXIT.ok : Number(process.exitCode);
  } catch (thrown) {
    const error = isApiError(thrown) ? toCliError(thrown, commandLine(argv)) : thrown;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`switchboard: ${explain(error)}\n`);
    if (error instanceof ConfigError) return EXIT.usage;
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}

/** One line; with DEBUG, the stack of an unexpected error. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isUnexpected = !(error instanceof ConfigError) && !(error instanceof CliError);
  return isUnexpected && process.env['DEBUG']
    ? (error.stack ?? error.message)
    : (explainFileError(error) ?? (error.message || String(error)));
}

function days(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 3650) {
    throw new InvalidArgumentError('Expected a whole number from 1 to 3650.');
  }
  return number;
}
