import { type Command, InvalidArgumentError } from 'commander';

import type { RemoteOptions } from './connection.ts';
import type { EventsOptions } from './events.ts';
import type { KeysOptions } from './keys.ts';
import type { ListenOptions } from './listen.ts';
import type { LoginOptions } from './login.ts';
import type { MessagesOptions } from './messages.ts';
import type { ResendOptions } from './resend.ts';
import type { SendOptions } from './send.ts';

/* The commands that call a server, wherever it is. Those that work on a store are in program.ts. */

export function addRemoteCommands(program: Command): void {
  program
    .command('login')
    .description('keep how a server is called in a profile; asks for email and password')
    .option(
      '--url <url>',
      'where the server is; SWITCHBOARD_URL or http://localhost:8080 unless told otherwise',
    )
    .option('--token <token>', 'a token of a user or of an application, in place of a password')
    .option(
      '--email <email>',
      'the email address; the password is asked for, or read from standard input',
    )
    .option('--application <id>', 'the application that you act for, with a token of a user')
    .option('--profile <name>', 'how the profile is called; "default" unless told otherwise')
    .option('--json', 'as JSON')
    .action(async (options: LoginOptions) => (await import('./login.ts')).login(options));
  program
    .command('logout')
    .description('revoke the token of a profile, and forget it')
    .option('--profile <name>', 'the current one unless told otherwise')
    .action(async (options: { profile?: string }) => (await import('./login.ts')).logout(options));
  program
    .command('profiles')
    .description('list the profiles')
    .option('--json', 'as JSON')
    .action(async (options: { json?: true }) => (await import('./login.ts')).listProfiles(options));

  remote(program.command('send'))
    .description('send a message; its text is --text, or comes from standard input')
    .requiredOption('--to <recipient>', 'whom it is for, as the channel writes it')
    .option('--via <channel>', 'the name of a channel, or the id of an integration')
    .option('--text <text>', 'what it says')
    .option('--markdown', 'the text is Markdown')
    .option('--title <title>', 'what stands above it, such as the subject of a letter')
    .option('--image <url>', 'a picture')
    .option('--document <url>', 'any other file')
    .option('--id <id>', 'a name of your own, to update or remove it later')
    .option('--dry-run', 'show what would go out; nothing is sent')
    .option('--wait', 'wait until it is sent or came to nothing')
    .option('--timeout <seconds>', 'how long --wait waits', count, 60)
    .action(async (options: SendOptions) => (await import('./send.ts')).send(options));
  filtered(remote(program.command('messages [id]')))
    .description('list messages, the newest first; or show one with its attempts')
    .option('--limit <n>', 'how many at the most', count, 20)
    .action(async (id: string | undefined, options: MessagesOptions) => {
      const { listMessages, showMessage } = await import('./messages.ts');
      return id === undefined ? listMessages(options) : showMessage(id, options);
    });
  filtered(remote(program.command('resend [id...]')))
    .description(
      'send messages again that are failed, canceled, expired or uncertain: by their ids, or all that are meant by options',
    )
    .option('--dry-run', 'say how many it would be; nothing is sent')
    .action(async (ids: string[], options: ResendOptions) =>
      (await import('./resend.ts')).resend(ids, options),
    );
  remote(program.command('retry <id...>'))
    .description('try messages now that wait for their next attempt')
    .action(async (ids: string[], options: RemoteOptions) =>
      (await import('./retry.ts')).retry(ids, options),
    );
  remote(program.command('events'))
    .description('list what happened last; with --json a line each')
    .option('--after <id>', 'what happened after this event, from there on')
    .option('--type <types>', 'only these, such as message.received,message.failed')
    .option('--limit <n>', 'how many at the most', count, 20)
    .action(async (options: EventsOptions) => (await import('./events.ts')).listEvents(options));
  remote(program.command('tail'))
    .description('show what happens, as it happens; with --json a line each')
    .option('--after <id>', 'begin after this event; with what happens next unless told otherwise')
    .option('--type <types>', 'only these, such as message.received,message.failed')
    .action(async (options: Omit<EventsOptions, 'limit'>) =>
      (await import('./events.ts')).tail(options),
    );
  remote(program.command('listen'))
    .description('bring what happens to a webhook on this machine, signed by Standard Webhooks')
    .requiredOption('--forward <url>', 'where it goes, such as http://localhost:3000/hook')
    .option('--secret <secret>', 'what it is signed with; made up and shown unless told otherwise')
    .option('--after <id>', 'begin after this event; with what happens next unless told otherwise')
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options));
  remote(program.command('applications'))
    .description('list the applications of your team')
    .action(async (options: RemoteOptions) =>
      (await import('./catalogue.ts')).listApplications(options),
    );
  const integrations = program
    .command('integrations')
    .description('list or check integrations, or list what one ignored');
  remote(integrations.command('list', { isDefault: true }))
    .description('list the integrations of the application, without their secrets')
    .action(async (options: RemoteOptions) =>
      (await import('./catalogue.ts')).listIntegrations(options),
    );
  remote(integrations.command('check [id]'))
    .description('ask the channel whether it takes the credentials; of all unless one is named')
    .action(async (id: string | undefined, options: RemoteOptions) =>
      (await import('./catalogue.ts')).checkIntegrations(id, options),
    );
  remote(integrations.command('ignored <id>'))
    .description('list what an integration heard and made no event of, by type and reason')
    .action(async (id: string, options: RemoteOptions) =>
      (await import('./catalogue.ts')).listIgnored(id, options),
    );
  const keys = program.command('keys').description('list or revoke keys and tokens');
  remote(keys.command('list', { isDefault: true }))
    .description('list the keys and tokens of applications: who made them, and their last use')
    .option('--of-users', 'those of users instead')
    .option('--created-by <id>', 'only those that this user made')
    .option('--limit <n>', 'how many at the most', count, 100)
    .action(async (options: KeysOptions) => (await import('./keys.ts')).listKeys(options));
  remote(keys.command('revoke <id...>'))
    .description('revoke keys, and with them every token that they signed')
    .option('--of-users', 'keys of users instead')
    .action(async (ids: string[], options: RemoteOptions & { ofUsers?: true }) =>
      (await import('./keys.ts')).revokeKeys(ids, options),
    );
  remote(program.command('channels [name]'))
    .description('list the channels; or show one with its fields and limits')
    .action(async (name: string | undefined, options: RemoteOptions) =>
      (await import('./catalogue.ts')).showChannels(name, options),
    );
  remote(program.command('mcp'), { json: false })
    .description('serve an assistant (Model Context Protocol) on standard input and output')
    .action(async (options: RemoteOptions) => (await import('./mcp.ts')).mcp(options));
  program
    .command('completion <shell>')
    .description('print what completes commands in bash, zsh or fish')
    .action(async (shell: string) => (await import('./completion.ts')).completion(shell, program));
}

/** By what messages are meant. */
function filtered(command: Command): Command {
  return command
    .option('--state <states>', 'only these, such as failed,expired')
    .option('--to <recipient>', 'only to this recipient')
    .option('--channel <name>', 'only by this channel')
    .option('--integration <id>', 'only through this integration')
    .option('--after <time>', 'only those accepted later, UTC, such as 2026-11-15T09:30:00')
    .option('--before <time>', 'only those accepted earlier');
}

/** What all of them can be told. */
function remote(command: Command, { json = true } = {}): Command {
  const told = command
    .option(
      '--profile <name>',
      'the profile; SWITCHBOARD_PROFILE or the current one unless told otherwise',
    )
    .option('--application <id>', 'the application to act for, with a token of a user');
  return json ? told.option('--json', 'as JSON') : told;
}

function count(text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 1_000_000) return number;
  throw new InvalidArgumentError('It is a whole number from 1 to 1000000.');
}
