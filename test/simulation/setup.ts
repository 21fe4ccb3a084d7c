import type { Store } from '../../src/store/store.ts';
import type { WorldOptions } from './records.ts';

/* What a simulation finds in the store, and what it leaves there. */

/** Tables to clear after a simulation. */
const TABLES = [
  'applications',
  'integrations',
  'outbox',
  'attempts',
  'routes',
  'parts',
  'lanes',
  'nodes',
  'ownerships',
  'consents',
  'consentChanges',
  'windows',
  'poolRecipients',
  'addressMoves',
  'feeds',
  'events',
] as const;

export async function clearTables({ engine: { db } }: Store): Promise<void> {
  for (const table of TABLES) await db.deleteFrom(table).execute();
}

/** An application with integrations of the simulated channel. */
export async function storeApplication(
  { store, uncertain, integrations }: WorldOptions,
  now: number,
): Promise<{ applicationId: number; integrationIds: number[] }> {
  const dated = { createdAt: now, updatedAt: now };
  const applicationId = await store.nextId();
  await store.applications.insert({
    id: applicationId,
    teamId: 1,
    ownerId: 1,
    name: 'simulated',
    state: 'enable',
    webhookUrl: null,
    uncertain,
    ...dated,
  });
  const integrationIds: number[] = [];
  for (let i = 0; i < integrations; i++) {
    const id = await store.nextId();
    const named = { name: 'simulated', mode: 'live', label: null, account: null } as const;
    const rest = { ...named, state: 'enable', credentials: {}, options: {} } as const;
    await store.integrations.insert({ id, applicationId, ...rest, ...dated });
    integrationIds.push(id);
  }
  return { applicationId, integrationIds };
}
