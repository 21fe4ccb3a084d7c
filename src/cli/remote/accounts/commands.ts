import type { Command } from 'commander';

import type { Confirmation } from '../../confirmation.ts';
import { count, remote } from '../../remote-options.ts';
import type { RemoteOptions } from '../connection.ts';
import { collect } from '../message-options.ts';
import type { AddOptions } from './add-integration.ts';
import type { ApplicationOptions, NewApplicationOptions } from './applications.ts';
import type { IntegrationOptions } from './change-integration.ts';
import type { KeysOptions } from './keys.ts';

/* Commands for applications, their integrations and their keys. */

const loadApplications = () => import('./applications.ts');
const loadChanges = () => import('./change-integration.ts');

const YES = ['--yes', 'do not ask'] as const;
const FIELD = [
  '--field <name=value>',
  'credential field; for a secret use name=@FILE or name=- (standard input); repeatable; "channels NAME" lists the fields',
  collect,
] as const;
const DEFAULT_OPTION = [
  '--option <name=value>',
  'default value of a message option; repeatable; "channels NAME" lists the options',
  collect,
] as const;

export function addAccountCommands(program: Command): void {
  addApplicationCommands(program);
  addIntegrationCommands(program);
  addKeyCommands(program);
}

function addApplicationCommands(program: Command): void {
  const applications = program
    .command('applications')
    .alias('apps')
    .description('list, create, change or delete applications');
  remote(applications.command('list', { isDefault: true }))
    .description('list the applications of your team')
    .action(async (options: RemoteOptions) =>
      (await import('../lists.ts')).listApplications(options),
    );
  remote(applications.command('create <name>'))
    .description('create an application in your team')
    .option('--webhook <url>', 'URL that receives its events')
    .action(async (name: string, options: NewApplicationOptions) =>
      (await loadApplications()).createApplication(name, options),
    );
  remote(applications.command('update <id>'))
    .description('change the name or webhook of an application')
    .option('--name <text>', 'new name')
    .option('--webhook <url>', 'URL that receives its events')
    .option('--no-webhook', 'remove the webhook')
    .action(async (id: string, options: ApplicationOptions) =>
      (await loadApplications()).updateApplication(id, options),
    );
  addStateCommands(
    applications,
    'refuse new messages and stop sending; queued ones wait until the application is enabled again',
    async (...args) => (await loadApplications()).setApplicationState(...args),
  );
  remote(applications.command('delete <id>'))
    .description('delete an application with its keys, integrations and messages')
    .option(...YES)
    .action(async (id: string, options: RemoteOptions & Confirmation) =>
      (await loadApplications()).deleteApplication(id, options),
    );
}

function addIntegrationCommands(program: Command): void {
  const integrations = program
    .command('integrations')
    .description('list, add, change, check or delete integrations');
  remote(integrations.command('list', { isDefault: true }))
    .description('list the integrations of the application, without secrets')
    .action(async (options: RemoteOptions) =>
      (await import('../lists.ts')).listIntegrations(options),
    );
  remote(integrations.command('add <channel>'))
    .description(
      'check credentials and add an integration; prompts for missing fields on a terminal',
    )
    .option(...FIELD)
    .option('--label <text>', 'name for people, such as "Support bot"')
    .option('--sandbox', 'use a simulator instead of the vendor; needs no credentials')
    .option(...DEFAULT_OPTION)
    .option('--force', 'add it even if the check fails')
    .action(async (name: string, options: AddOptions) =>
      (await import('./add-integration.ts')).addIntegration(name, options),
    );
  remote(integrations.command('update <id>'))
    .description('change credentials, label or options of an integration, and check credentials')
    .option(...FIELD)
    .option('--label <text>', 'name for people, such as "Support bot"')
    .option('--no-label', 'remove the label')
    .option(...DEFAULT_OPTION)
    .action(async (id: string, options: IntegrationOptions) =>
      (await loadChanges()).updateIntegration(id, options),
    );
  addStateCommands(
    integrations,
    'refuse new messages; queued ones wait until the integration is enabled again',
    async (...args) => (await loadChanges()).setIntegrationState(...args),
  );
  remote(integrations.command('delete <id>'))
    .description('delete an integration and cancel its queued messages')
    .option(...YES)
    .action(async (id: string, options: RemoteOptions & Confirmation) =>
      (await loadChanges()).deleteIntegration(id, options),
    );
  remote(integrations.command('check [id]'))
    .description('check credentials with the channel; default: all integrations')
    .action(async (id: string | undefined, options: RemoteOptions) =>
      (await import('../lists.ts')).checkIntegrations(id, options),
    );
  remote(integrations.command('ignored <id>'))
    .description('list incoming reports that produced no event, by type and reason')
    .action(async (id: string, options: RemoteOptions) =>
      (await import('../lists.ts')).listIgnored(id, options),
    );
}

function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('list, create or revoke keys and tokens');
  remote(keys.command('list', { isDefault: true }))
    .description('list application keys and tokens, with creator and last use')
    .option('--of-users', 'list user keys instead of application keys')
    .option('--created-by <id>', 'only keys created by this user')
    .option('--limit <n>', 'maximum number', count, 100)
    .action(async (options: KeysOptions) => (await import('./keys.ts')).listKeys(options));
  remote(keys.command('create'))
    .description('create a key of the application and print its secret, which is shown only once')
    .option('--label <text>', 'name for people, such as "Billing service"')
    .action(async (options: RemoteOptions & { label?: string }) =>
      (await import('./keys.ts')).createKey(options),
    );
  remote(keys.command('revoke <id...>'))
    .description('revoke keys and all tokens signed with them')
    .option('--of-users', 'revoke user keys instead of application keys')
    .action(async (ids: string[], options: RemoteOptions & { ofUsers?: true }) =>
      (await import('./keys.ts')).revokeKeys(ids, options),
    );
}

function addStateCommands(
  parent: Command,
  disableHelp: string,
  change: (id: string, state: 'enable' | 'disable', options: RemoteOptions) => Promise<void>,
): void {
  remote(parent.command('enable <id>'))
    .description('start sending again')
    .action((id: string, options: RemoteOptions) => change(id, 'enable', options));
  remote(parent.command('disable <id>'))
    .description(disableHelp)
    .action((id: string, options: RemoteOptions) => change(id, 'disable', options));
}
