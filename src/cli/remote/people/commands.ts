import type { Command } from 'commander';

import { count, remote } from '../../remote-options.ts';
import type { RemoteOptions } from '../connection.ts';
import { collect } from '../message-options.ts';
import type { ContactOptions, ContactsOptions } from './contacts.ts';
import type { ConversationsOptions } from './conversations.ts';
import type { ImportOptions } from './import.ts';

const loadContacts = () => import('./contacts.ts');
const loadConversations = () => import('./conversations.ts');

/** Contacts and conversations. */
export function addPeopleCommands(program: Command): void {
  const contacts = program
    .command('contacts')
    .description('list, create, change, import, export or erase people with their addresses');
  remote(contacts.command('list', { isDefault: true }))
    .description('list contacts, newest first')
    .option('--search <text>', 'beginning of a name, an address or an external id')
    .option('--external-id <id>', 'only the contact with this external id')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (options: ContactsOptions) => (await loadContacts()).listContacts(options));
  remote(contacts.command('show <id>'))
    .description('show a contact with its addresses')
    .action(async (id: string, options: RemoteOptions) =>
      (await loadContacts()).showContact(id, options),
    );
  withContactOptions(remote(contacts.command('create')))
    .description('create a contact')
    .option('--address <channel:address>', 'address, such as sms:+15558675310; repeatable', collect)
    .action(async (options: ContactOptions) => (await loadContacts()).createContact(options));
  withContactOptions(remote(contacts.command('update <id>')))
    .description('change the given fields of a contact; an empty value clears one')
    .option('--address <channel:address>', 'address to add; repeatable', collect)
    .action(async (id: string, options: ContactOptions) =>
      (await loadContacts()).updateContact(id, options),
    );
  remote(contacts.command('delete <id>'))
    .description('delete a contact with its addresses; messages and consents stay')
    .action(async (id: string, options: RemoteOptions) =>
      (await loadContacts()).deleteContact(id, options),
    );
  remote(contacts.command('import <file>'))
    .description(
      'import a CSV or NDJSON file of any size, or standard input (-); skips rows with errors and prints them',
    )
    .option('--format <format>', 'csv or ndjson; default: by the name of the file')
    .option('--resume <id>', 'continue an interrupted import, by the id that it printed')
    .action(async (file: string, options: ImportOptions) =>
      (await import('./import.ts')).importContacts(file, options),
    );
  remote(contacts.command('export <id> [file]'), { json: false })
    .description('export everything about a person as NDJSON, to a file or standard output')
    .action(async (id: string, file: string | undefined, options: RemoteOptions) =>
      (await loadContacts()).exportContact(id, file, options),
    );
  remote(contacts.command('erase <id>'))
    .description('erase everything about a person and wait until it is done; cannot be undone')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: RemoteOptions & { yes?: true }) =>
      (await loadContacts()).eraseContact(id, options),
    );

  const conversations = program
    .command('conversations')
    .description('list or read conversations, both directions');
  remote(conversations.command('list', { isDefault: true }))
    .description('list conversations, the newest message first')
    .option('--contact <id>', 'only conversations of this contact')
    .option('--limit <n>', 'maximum number', count, 20)
    .action(async (options: ConversationsOptions) =>
      (await loadConversations()).listConversations(options),
    );
  remote(conversations.command('show <id>'))
    .description('show the messages of a conversation, oldest first')
    .option('--limit <n>', 'maximum number of messages', count, 20)
    .action(async (id: string, options: RemoteOptions & { limit: number }) =>
      (await loadConversations()).showConversation(id, options),
    );
  remote(conversations.command('read <id>'), { json: false })
    .description('mark a conversation as read')
    .action(async (id: string, options: RemoteOptions) =>
      (await loadConversations()).readConversation(id, options),
    );
}

/** Adds the fields of a contact. */
function withContactOptions(command: Command): Command {
  return command
    .option('--name <name>', 'name of the person')
    .option('--external-id <id>', 'your own id for the person')
    .option('--locale <tag>', 'language, such as en-GB')
    .option('--timezone <zone>', 'time zone, such as Europe/London')
    .option(
      '--field <name=value>',
      'custom field; repeatable, replaces all custom fields',
      collect,
    );
}
