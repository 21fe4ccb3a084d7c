import type { NewPool, Pool, Switchboard } from '../../../../sdk/src/index.ts';
import { STRATEGIES } from '../../../model/sending/pool.ts';
import { COMMAND } from '../../command-name.ts';
import { CliError, EXIT } from '../../exit.ts';
import { print, printTable } from '../../print.ts';
import { type RemoteOptions, connectApplication, readId } from '../connection.ts';
import { printJson } from '../format.ts';
import { flagParts } from './flag-parts.ts';

/* Pools of integrations that stand in for one another. */

export interface PoolOptions extends RemoteOptions {
  /** As typed: `5,weight=3`. */
  member?: readonly string[];
  strategy?: string;
  failoverAfter?: string;
}

export interface UpdateOptions extends PoolOptions {
  name?: string;
}

type Member = NewPool['members'][number];

export async function listPools(options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const pools = await client.pools.list().all();
  if (options.json) return printJson(pools);
  printTable(
    pools.map(({ id, name, strategy, failover_after: failover, members }) => ({
      id,
      name,
      strategy,
      failover,
      members: members.map((member) => member.integration_id).join(', '),
    })),
    false,
  );
}

export async function showPool(text: string, options: RemoteOptions): Promise<void> {
  const pool = await find(await connectApplication(options), text);
  if (options.json) return printJson(pool);
  print(`Pool ${pool.id} ${pool.name}: ${pool.strategy}, failover after ${pool.failover_after}`);
  printTable(
    pool.members.map(({ integration_id: integration, weight, price }) => {
      return { integration, weight, price: price ?? '' };
    }),
    false,
  );
}

export async function createPool(name: string, options: PoolOptions): Promise<void> {
  const { member = [] } = options;
  if (member.length === 0) throw new CliError('pools create: give --member', EXIT.usage);
  const pool = { name, members: member.map(memberOf), ...settingsOf(options) };
  const client = await connectApplication(options);
  const created = await client.pools.create(pool);
  if (options.json) return printJson(created);
  print(`Pool ${created.id} created. Send with: ${COMMAND} send --via pool:${created.name}`);
}

export async function updatePool(text: string, options: UpdateOptions): Promise<void> {
  const { name, member } = options;
  const change = { ...(member && { members: member.map(memberOf) }), ...settingsOf(options) };
  if (name === undefined && Object.keys(change).length === 0) {
    throw new CliError(
      'pools update: give --name, --member, --strategy or --failover-after',
      EXIT.usage,
    );
  }
  const client = await connectApplication(options);
  const current = await find(client, text);
  const { strategy, failover_after: failover, members } = current;
  const kept = { name: name ?? current.name, strategy, failover_after: failover, members };
  await client.pools.update(current.id, { ...kept, ...change });
  if (options.json) return printJson(await client.pools.get(current.id));
  print(`Pool ${current.id} changed.`);
}

export async function deletePools(names: readonly string[], options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const pools: Pool[] = [];
  for (const name of names) pools.push(await find(client, name));
  for (const { id, name } of pools) {
    await client.pools.delete(id);
    if (!options.json) print(`Pool ${id} ${name} deleted.`);
  }
  if (options.json) printJson(pools.map(({ id }) => id));
}

/** By its name, or by its id if no pool has that name. */
async function find(client: Switchboard, text: string): Promise<Pool> {
  const name = text.replace(/^pool:/, '');
  for await (const pool of client.pools.list()) if (pool.name === name) return pool;
  if (/^\d+$/.test(name)) return client.pools.get(readId(name, 'pool'));
  throw new CliError(`pool ${name}: not found`, EXIT.notFound);
}

function settingsOf({
  strategy,
  failoverAfter,
}: PoolOptions): Pick<NewPool, 'strategy' | 'failover_after'> {
  const listed = STRATEGIES.find((one) => one === strategy);
  if (strategy !== undefined && !listed) {
    const expected = STRATEGIES.join(', ');
    throw new CliError(`--strategy: expected one of ${expected}, not "${strategy}"`, EXIT.usage);
  }
  return {
    ...(listed && { strategy: listed }),
    ...(failoverAfter !== undefined && { failover_after: failoverAfter }),
  };
}

function memberOf(text: string): Member {
  const { head, values } = flagParts('--member', text, ['weight', 'price']);
  const { weight, price } = values;
  return {
    integration_id: readId(head, '--member'),
    ...(weight !== undefined && { weight: numberOf(text, weight) }),
    ...(price !== undefined && { price: numberOf(text, price) }),
  };
}

function numberOf(text: string, value: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return Number(value);
  throw new CliError(`--member ${text}: expected a number, not "${value}"`, EXIT.usage);
}
