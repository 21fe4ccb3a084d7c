import type { Command } from 'commander';

import type { RemoteOptions } from '../connection.ts';
import { collect } from '../message-options.ts';
import type { PoolOptions, UpdateOptions } from './pools.ts';

const load = () => import('./pools.ts');

const MEMBER =
  'integration id, with its weight or price: 5,weight=3 or 5,price=0.04; repeatable, in the order in which they are tried';

/** Pools of integrations. `remote` adds the options of all remote commands. */
export function addPoolCommands(program: Command, remote: (command: Command) => Command): void {
  const pools = program
    .command('pools')
    .description(
      'list, create, change or delete pools of integrations that stand in for one another',
    );
  remote(pools.command('list', { isDefault: true }))
    .description('list the pools of the application')
    .action(async (options: RemoteOptions) => (await load()).listPools(options));
  remote(pools.command('show <pool>'))
    .description('show a pool, by its name or id, with its members')
    .action(async (pool: string, options: RemoteOptions) => (await load()).showPool(pool, options));
  withPoolOptions(remote(pools.command('create <name>')))
    .description('create a pool; messages name it as pool:NAME')
    .action(async (name: string, options: PoolOptions) => (await load()).createPool(name, options));
  withPoolOptions(remote(pools.command('update <pool>')))
    .description('change a pool; omitted options stay as they are')
    .option('--name <name>', 'new name')
    .action(async (pool: string, options: UpdateOptions) =>
      (await load()).updatePool(pool, options),
    );
  remote(pools.command('delete <pool...>'))
    .description('delete pools; accepted messages keep their members')
    .action(async (names: string[], options: RemoteOptions) =>
      (await load()).deletePools(names, options),
    );
}

function withPoolOptions(command: Command): Command {
  return command
    .option('--member <integration>', MEMBER, collect)
    .option(
      '--strategy <strategy>',
      'strategy for new recipients: order (default), weighted, round_robin or least_cost',
    )
    .option(
      '--failover-after <duration>',
      'how long a member may keep a message waiting, from PT5S to PT1H; default PT30S',
    );
}
