import { Command, CommanderError, InvalidArgumentError } from 'commander';

import { ConfigError } from '../config.ts';
import { VERSION } from '../lib/version.ts';
import { answerError, isAnswer } from './answers.ts';
import { CliError, EXIT } from './exit.ts';
import { addRemoteCommands } from './remote-commands.ts';

/** Each command is a file of its own, and is loaded when it is called. */
export function createProgram(): Command {
  const program = new Command('switchboard')
    .description('One REST interface in front of every messaging channel.')
    .version(VERSION, '-V, --version')
    .showHelpAfterError('(add --help for what it takes)')
    .exitOverride()
    .addHelpText(
      'after',
      '\nThose of the operator are set up by environment variables (docs/configuration.md); docs/command-line.md has more.\nThey end with 0 when it worked, 1 when it did not, 2 when they were not understood, 3 when what was named is not there.',
    );

  program.commandsGroup('For everyone, against any server:');
  addRemoteCommands(program);
  program.commandsGroup('For the operator, on the store of this machine:');

  program
    .command('serve')
    .description('run the service; makes its store on the first start')
    .option('--role <role>', 'api, deliver or all; SWITCHBOARD_ROLE unless told otherwise')
    .option(
      '--local',
      'for trying things on this machine: outgoing requests may reach loopback, unless a public URL, a trusted proxy or another listening address is set',
    )
    .action(async (options: { role?: string; local?: true }) =>
      (await import('./serve.ts')).serve(options),
    );

  program
    .command('init')
    .description('make the store, the first team and its first user, unless they are there')
    .option('--email <email>', 'the email address of the first user')
    .action(async (options: { email?: string }) => (await import('./init.ts')).init(options));

  program
    .command('token')
    .description(
      'print a token, alone on standard output; for the first user unless told otherwise',
    )
    .option('--user <email>', 'a user token for this user')
    .option('--application <id>', 'an application token for this application')
    .option('--days <n>', 'how long it is valid', days, 30)
    .option('--label <text>', 'what it is for, shown where keys are listed')
    .action(
      async (options: { user?: string; application?: string; days: number; label?: string }) =>
        (await import('./token.ts')).token(options),
    );

  program
    .command('sign-in-link')
    .description(
      'print a link that signs a user in to the console once, within 24 hours; for the first user by default',
    )
    .option('--user <email>', 'sign in this user')
    .option(
      '--url <url>',
      'address of the console; SWITCHBOARD_PUBLIC_URL, or the listening address, by default',
    )
    .action(async (options: { user?: string; url?: string }) =>
      (await import('./sign-in-link.ts')).signInLink(options),
    );

  const user = program.command('user').description('users of all teams');
  user
    .command('add <email>')
    .description('add a user to a team; a password may be given on standard input')
    .option('--name <name>', 'how the user is called')
    .option('--team <id>', 'the team; the first one unless told otherwise')
    .option('--password-stdin', 'read a password from standard input')
    .action(
      async (email: string, options: { name?: string; team?: string; passwordStdin?: true }) =>
        (await import('./user.ts')).addUser(email, options),
    );
  user
    .command('list')
    .description('list the users')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('./user.ts')).listUsers(options));
  user
    .command('password <email>')
    .description('set a password, read from standard input; ends the sign-ins of the user')
    .action(async (email: string) => (await import('./user.ts')).setPassword(email));
  for (const state of ['enable', 'disable'] as const) {
    user
      .command(`${state} <email>`)
      .description(`${state} a user`)
      .action(async (email: string) => (await import('./user.ts')).setState(email, state));
  }

  const team = program.command('team').description('teams');
  team
    .command('add <name>')
    .description('make a team with its owner')
    .requiredOption('--email <email>', 'the email address of its owner')
    .action(async (name: string, options: { email: string }) =>
      (await import('./team.ts')).addTeam(name, options),
    );
  team
    .command('list')
    .description('list the teams')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('./team.ts')).listTeams(options));

  program
    .command('channel')
    .description('channels, for those who write one')
    .command('new <name>')
    .description('write the skeleton of a channel into this checkout, with its tests')
    .action(async (name: string) => (await import('./channel.ts')).newChannel(name));

  program
    .command('migrate')
    .description('bring the database up to date; starting the service does so too')
    .action(async () => (await import('./migrate.ts')).migrate());

  program
    .command('backup <file>')
    .description('write a copy of the embedded store as it is now; may run beside the service')
    .action(async (file: string) => (await import('./backup.ts')).backup(file));

  program
    .command('restore <file>')
    .description('put a backup in the place of the embedded store')
    .option('--force', 'also where there is a store already; that one is kept beside it')
    .action(async (file: string, options: { force?: true }) =>
      (await import('./restore.ts')).restore(file, options),
    );

  program
    .command('move')
    .description('carry the embedded store over to PostgreSQL, and check that all of it is there')
    .requiredOption('--to <url>', 'an empty database, as postgres://…')
    .option(
      '--even-if-running',
      'carry over what is there now, although a service is at work on it',
    )
    .option('--json', 'say what was carried as JSON')
    .action(async (options: { to: string; evenIfRunning?: true; json?: true }) =>
      (await import('./move.ts')).move(options),
    );

  program
    .command('doctor')
    .description('check settings, store, keys, clock and disk, and say what to do')
    .option('--json', 'as JSON')
    .option(
      '--support [file]',
      'also write all that whoever helps has to know, and no secret, to a file',
    )
    .action(async (options: { json?: true; support?: string | true }) =>
      (await import('./doctor.ts')).doctor(options),
    );

  program
    .command('nodes')
    .description('list the nodes, and how many integrations each of them owns')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('./nodes.ts')).listNodes(options));

  program
    .command('rotate-keys')
    .description('seal every secret anew; may run beside the service')
    .action(async () => (await import('./rotate-keys.ts')).rotateKeys());

  return program;
}

/** Runs a command line; answers its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return process.exitCode === undefined ? EXIT.ok : Number(process.exitCode);
  } catch (thrown) {
    const error = isAnswer(thrown) ? answerError(thrown) : thrown;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`switchboard: ${explain(error)}\n`);
    if (error instanceof ConfigError) return EXIT.usage;
    return error instanceof CliError ? error.exitCode : EXIT.failed;
  }
}

/** One line. The stack of something unforeseen is for whoever asks for it. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const unforeseen = !(error instanceof ConfigError) && !(error instanceof CliError);
  return unforeseen && process.env['DEBUG']
    ? (error.stack ?? error.message)
    : error.message || String(error);
}

function days(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > 3650) {
    throw new InvalidArgumentError('It is a whole number from 1 to 3650.');
  }
  return number;
}
