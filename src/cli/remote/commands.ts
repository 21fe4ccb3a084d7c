import type { Command } from 'commander';

import { count, remote } from '../remote-options.ts';
import { addAccountCommands } from './accounts/commands.ts';
import type { RemoteOptions } from './connection.ts';
import type { ConsentsOptions, SetConsentOptions } from './consents.ts';
import type { DemoOptions } from './demo/demo.ts';
import type { EventsOptions } from './events.ts';
import type { ListenOptions } from './listen.ts';
import type { ChannelsOptions } from './lists.ts';
import type { LoginOptions } from './login.ts';
import { collect } from './message-options.ts';
import type { MessagesOptions } from './messages.ts';
import { addPeopleCommands } from './people/commands.ts';
import type { QuickstartOptions } from './quickstart.ts';
import type { ResendOptions } from './resend.ts';
import type { FaultOptions, MoveOptions, PhoneOptions, ReplyOptions } from './sandbox.ts';
import type { SendOptions } from './send.ts';
import { addPoolCommands } from './sending/pool-commands.ts';
import type { TemplatesOptions } from './templates.ts';
import type { RescheduleOptions } from './waiting.ts';

/* Commands that call a server. Commands on the local store are in program.ts. */

const load = () => import('./sandbox.ts');

const AT =
  'when to send it: 2026-12-01T09:00:00Z, or a local time such as 09:00 or 2026-12-01T09:00';
const ZONE =
  'zone of a local time: "recipient", or a name such as Europe/Berlin; default: the zone of this machine';

const FROM = ['--from <address>', 'address of the person; default: the first'] as const;
const ROOM = ['--room <address>', 'address of the room'] as const;

/** Simulated vendors. */
function addSandboxCommands(program: Command): void {
  const sandbox = program
    .command('sandbox')
    .description('see and answer messages of a sandbox integration, and trigger faults');
  remote(sandbox.command('show <integration>'))
    .description('list the simulated people, and the addresses that trigger faults')
    .action(async (id: string, options: RemoteOptions) => (await load()).showSandbox(id, options));
  remote(sandbox.command('messages <integration>'))
    .description('list the entries on the phones, oldest first')
    .option('--with <address>', 'only the conversation with this person or room')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (id: string, options: PhoneOptions) => (await load()).listPhone(id, options));
  remote(sandbox.command('reply <integration>'))
    .description('answer as a simulated person')
    .option(...FROM)
    .option(...ROOM)
    .option('--text <text>', 'text of the answer')
    .option('--media <type>', 'a sample file: Image, Audio, Video or Document')
    .option('--place <latitude,longitude>', 'a place')
    .option('--to <message>', 'id of the message on the phone that it answers')
    .action(async (id: string, options: ReplyOptions) => (await load()).reply(id, options));
  remote(sandbox.command('press <integration> <message> <button>'))
    .description('press a button of a message on the phone, by its label or position')
    .action(async (id: string, message: string, button: string, options: RemoteOptions) =>
      (await load()).press(id, message, button, options),
    );
  remote(sandbox.command('react <integration> <message> <emoji>'))
    .description('react to a message on the phone')
    .option(...FROM)
    .option(...ROOM)
    .action(async (id: string, message: string, emoji: string, options: MoveOptions) =>
      (await load()).react(id, message, emoji, options),
    );
  remote(sandbox.command('act <integration> <action>'))
    .description('join or leave a room, or block or unblock the sender, as a simulated person')
    .option(...FROM)
    .option(...ROOM)
    .action(async (id: string, action: string, options: MoveOptions) =>
      (await load()).act(id, action, options),
    );
  remote(sandbox.command('report <integration> <message> <state>'))
    .description('report a message on the phone as delivered, read or failed')
    .action(async (id: string, message: string, state: string, options: RemoteOptions) =>
      (await load()).report(id, message, state, options),
    );
  remote(sandbox.command('fault <integration> [name...]'))
    .description('set faults that last until removed; without a name, remove all')
    .option('--to <address>', 'only for messages to this address')
    .option('--seconds <n>', 'end after this time', count)
    .option('--times <n>', 'end after this many messages; each attempt counts', count)
    .action(async (id: string, names: string[], options: FaultOptions) =>
      (await load()).setFaults(id, names, options),
    );
  remote(sandbox.command('reset <integration>'))
    .description('empty the phones and remove all faults')
    .action(async (id: string, options: RemoteOptions) => (await load()).resetSandbox(id, options));
}

const loadConsents = () => import('./consents.ts');

/** Commands for consents. */
function addConsentCommands(program: Command): void {
  const consents = program
    .command('consents')
    .description('list, record, import or export consents');
  remote(consents.command('list [id]', { isDefault: true }))
    .description('list consents, newest first, or show one with its history')
    .option('--family <name>', 'family of the address: sms, whatsapp, rcs, viber, or the channel')
    .option('--address <address>', 'only this address')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (id: string | undefined, options: ConsentsOptions) => {
      const { listConsents, showConsent } = await loadConsents();
      return id === undefined ? listConsents(options) : showConsent(id, options);
    });
  remote(consents.command('set <state> <family> <address>'))
    .description('record that a person granted or revoked consent')
    .option('--scope <scope>', 'all or marketing', 'all')
    .option('--evidence <text>', 'proof, such as "call of 3 May"')
    .action(async (state: string, family: string, address: string, options: SetConsentOptions) =>
      (await loadConsents()).setConsent(state, family, address, options),
    );
  remote(consents.command('import [file]'))
    .description('import a CSV or NDJSON file, or standard input; skips lines with errors')
    .option('--format <format>', 'csv or ndjson; default: by the name of the file')
    .action(async (file: string | undefined, options: RemoteOptions & { format?: string }) =>
      (await loadConsents()).importConsents(file, options),
    );
  remote(consents.command('export [file]'), { json: false })
    .description('export all consents to a file or standard output')
    .option('--format <format>', 'csv or ndjson; default: by the name of the file')
    .action(async (file: string | undefined, options: RemoteOptions & { format?: string }) =>
      (await loadConsents()).exportConsents(file, options),
    );
}

export function addRemoteCommands(program: Command): void {
  remote(program.command('quickstart'), { json: false })
    .description(
      'create an application with a web chat and a key, open the chat, send a message and wait for the answer; if no service is running, starts one that runs until you press Ctrl-C',
    )
    .option('--no-open', 'print the address of the chat only')
    .option('--timeout <seconds>', 'time limit for the answer', count, 600)
    .action(async (options: QuickstartOptions) =>
      (await import('./quickstart.ts')).quickstart(options),
    );
  remote(program.command('demo'))
    .description(
      'fill the team with three applications in the sandbox, their messages, failures and conversations; if no service is running, starts one that runs until you press Ctrl-C',
    )
    .option('--remove', 'remove them again')
    .action(async (options: DemoOptions) => (await import('./demo/demo.ts')).demo(options));
  program
    .command('login')
    .description('log in to a server and save a profile; asks for email and password')
    .option('--url <url>', 'URL of the server; default SWITCHBOARD_URL or http://localhost:8080')
    .option('--token <token>', 'user or application token, instead of a password')
    .option(
      '--email <email>',
      'email address; the password is prompted for, or read from standard input',
    )
    .option('--application <id>', 'application to act for, with a user token')
    .option('--profile <name>', 'name of the profile; default "default"')
    .option('--json', 'print JSON')
    .action(async (options: LoginOptions) => (await import('./login.ts')).login(options));
  program
    .command('logout')
    .description('delete a profile and revoke its user token; application tokens stay valid')
    .option('--profile <name>', 'name of the profile; default: the current one')
    .action(async (options: { profile?: string }) => (await import('./login.ts')).logout(options));
  program
    .command('profiles')
    .description('list profiles')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => (await import('./login.ts')).listProfiles(options));

  remote(program.command('send'))
    .description(
      'send a message; without --text, --image, --document or --template, reads the text from standard input',
    )
    .requiredOption('--to <recipient>', "recipient, in the channel's format")
    .option('--via <channel>', 'channel name, integration id or pool:NAME')
    .option(
      '--route <route>',
      'a route, such as whatsapp,until=read,after=PT2M or pool:sms,to=+4915112345678; repeatable, tried in the given order',
      collect,
    )
    .option('--text <text>', 'text of the message')
    .option('--markdown', 'treat the text as Markdown')
    .option('--title <title>', 'title above the text, such as an email subject')
    .option('--image <url>', 'URL of an image')
    .option('--document <url>', 'URL of any other file')
    .option('--id <id>', 'your own id, for a later Update or Delete through the API')
    .option(
      '--option <name=value>',
      'option of the channel, such as silent=true; repeatable, "channels NAME" lists them',
      collect,
    )
    .option('--at <time>', AT)
    .option('--zone <zone>', ZONE)
    .option('--template <name>', 'template of the vendor or of the application')
    .option('--language <tag>', 'language of the template, such as pt-BR')
    .option('--parameter <name=value>', 'parameter of the template; repeatable', collect)
    .option('--outside-window', 'use the template only if the vendor accepts no free text')
    .option('--category <category>', 'transactional (default), marketing or verification')
    .option('--dry-run', 'show what would be sent; sends nothing')
    .option('--wait', 'wait until the message is sent or has failed')
    .option('--timeout <seconds>', 'time limit of --wait', count, 60)
    .action(async (options: SendOptions) => (await import('./send.ts')).send(options));
  remote(program.command('templates'))
    .description('list the templates of the application, or those of a vendor')
    .option('--integration <id>', 'integration whose vendor has the templates')
    .option('--sync', 'read the list from the vendor first')
    .action(async (options: TemplatesOptions) =>
      (await import('./templates.ts')).listTemplates(options),
    );
  addPoolCommands(program, remote);
  withMessageFilters(remote(program.command('messages [id]')))
    .description('list messages, newest first, or show one with its attempts')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (id: string | undefined, options: MessagesOptions) => {
      const { listMessages, showMessage } = await import('./messages.ts');
      return id === undefined ? listMessages(options) : showMessage(id, options);
    });
  withMessageFilters(remote(program.command('resend [id...]')))
    .description(
      'resend failed, uncertain, canceled, expired or suppressed messages, by id or by filter',
    )
    .option(
      '--route <number>',
      'restart from this route (0 is the first) and continue with those after it; by id only',
    )
    .option('--dry-run', 'show how many messages match the filter; sends nothing; by filter only')
    .action(async (ids: string[], options: ResendOptions) =>
      (await import('./resend.ts')).resend(ids, options),
    );
  remote(program.command('retry <id...>'))
    .description('retry waiting messages now')
    .action(async (ids: string[], options: RemoteOptions) =>
      (await import('./waiting.ts')).retry(ids, options),
    );
  remote(program.command('cancel <id...>'))
    .description('cancel scheduled, queued or uncertain messages')
    .action(async (ids: string[], options: RemoteOptions) =>
      (await import('./waiting.ts')).cancel(ids, options),
    );
  remote(program.command('reschedule <id>'))
    .description('change when a scheduled message leaves')
    .requiredOption('--at <time>', AT)
    .option('--zone <zone>', ZONE)
    .action(async (id: string, options: RescheduleOptions) =>
      (await import('./waiting.ts')).reschedule(id, options),
    );
  remote(program.command('events'))
    .description('list recent events; with --json one per line')
    .option('--after <id>', 'list events after this one, oldest first')
    .option('--type <types>', 'only these types, such as message.received,message.failed')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (options: EventsOptions) => (await import('./events.ts')).listEvents(options));
  remote(program.command('tail'))
    .description('print events as they happen; with --json one per line')
    .option('--after <id>', 'start after this event; default: with the next one')
    .option('--type <types>', 'only these types, such as message.received,message.failed')
    .action(async (options: Omit<EventsOptions, 'limit'>) =>
      (await import('./events.ts')).tail(options),
    );
  remote(program.command('listen'))
    .description('forward events to a webhook on this machine, with Standard Webhooks signatures')
    .requiredOption('--forward <url>', 'URL of the webhook, such as http://localhost:3000/hook')
    .option('--secret <secret>', 'signing secret; default: a new one, printed at start')
    .option('--after <id>', 'start after this event; default: with the next one')
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options));
  addAccountCommands(program);
  addSandboxCommands(program);
  addConsentCommands(program);
  addPeopleCommands(program);
  remote(program.command('channels [name]'))
    .description('list channels, or show one with its fields, options and limits')
    .option('--guide', 'the setup guide of the channel instead')
    .action(async (name: string | undefined, options: ChannelsOptions) =>
      (await import('./lists.ts')).showChannels(name, options),
    );
  remote(program.command('mcp'), { json: false })
    .description('run a Model Context Protocol server on standard input and output')
    .action(async (options: RemoteOptions) => (await import('./mcp.ts')).mcp(options));
  program
    .command('completion <shell>')
    .description('print a completion script for bash, zsh or fish')
    .action(async (shell: string) => (await import('../completion.ts')).completion(shell, program));
}

/** Adds message filter options. */
function withMessageFilters(command: Command): Command {
  return command
    .option('--state <states>', 'only messages in these states, such as failed,expired')
    .option('--to <recipient>', 'only to this recipient')
    .option('--channel <name>', 'only through this channel')
    .option('--integration <id>', 'only through this integration')
    .option('--after <time>', 'only accepted after this time, UTC, such as 2026-11-15T09:30:00')
    .option('--before <time>', 'only accepted before this time');
}
