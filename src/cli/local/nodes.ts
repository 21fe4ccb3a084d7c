import { systemClock } from '../../lib/runtime/clock.ts';
import { timestamp } from '../../model/timestamp.ts';
import type { KnownNode } from '../../store/delivery/ownerships.ts';
import type { Store } from '../../store/store.ts';
import { print, printTable } from '../print.ts';
import { withStore } from './with-store.ts';

/** Maximum number of unowned integrations to list. */
const MAX_LISTED = 100;

/** Lists nodes with their lease and the number of integrations they own. */
export async function listNodes({ json = false }: { json?: boolean }): Promise<void> {
  await withStore(async ({ ownerships }) => {
    const { nodes, free } = await readNodes(ownerships);
    const unowned = await ownerships.unowned(MAX_LISTED);
    if (json) {
      print(JSON.stringify({ nodes, unowned: { integrations: free, ids: unowned } }, null, 2));
      return;
    }
    printTable(
      nodes.map(({ lease_seconds: left, id, role, host, pid, started, integrations }) => {
        const lease = left > 0 ? `${left} s left` : `expired ${-left} s ago`;
        return { id, role, host, pid, started, lease, integrations };
      }),
      false,
    );
    if (free === 0) return;
    const more = free > unowned.length ? ', …' : '';
    print(`\nNo owner for ${free}: ${unowned.join(', ')}${more}`);
  });
}

export async function nodesOf({ ownerships }: Store): Promise<ReturnType<typeof nodeView>[]> {
  return (await readNodes(ownerships)).nodes;
}

async function readNodes(ownerships: Store['ownerships']) {
  const rows = await ownerships.nodes(systemClock.now());
  const counts = await ownerships.counts();
  return {
    nodes: rows.map((node) => nodeView(node, counts.get(node.id) ?? 0)),
    free: counts.get(null) ?? 0,
  };
}

function nodeView(
  { id, role, host, pid, startedAt, leaseLeftMs }: KnownNode,
  integrations: number,
) {
  return {
    id,
    role,
    // The rest of the value distinguishes machines of the same name.
    host: host.split(' ')[0] ?? host,
    pid,
    started: timestamp(startedAt),
    lease_seconds: Math.round(leaseLeftMs / 1000),
    integrations,
  };
}
