import assert from 'node:assert/strict';

import type { AttemptResult, ClaimedMessage } from '../../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../../src/store/store.ts';

export const NOW = Date.now();
const LEASE_MS = 60_000;

export const renewNode = (store: Store, node: string, lease = LEASE_MS) =>
  store.ownerships.renew(
    { id: node, role: 'deliver', host: 'h', pid: 1, startedAt: NOW, ring: null },
    lease,
    NOW,
  );

/** Creates an integration with its own node as owner, and functions to use it. */
export async function ownIntegration(store: Store) {
  const dated = { createdAt: NOW, updatedAt: NOW };
  const [applicationId, integrationId] = [await store.nextId(), await store.nextId()];
  const named = { id: applicationId, name: 'application', state: 'enable' } as const;
  const of = { teamId: 1, ownerId: 1, webhookUrl: null, uncertain: 'resend' } as const;
  await store.applications.insert({ ...named, ...of, ...dated });
  const integration = { id: integrationId, applicationId, name: 'webhook', ...dated };
  await store.integrations.insert({
    ...integration,
    state: 'enable',
    mode: 'live',
    label: null,
    account: null,
    credentials: {},
    options: {},
  });
  const node = `node-${integrationId}`;
  await renewNode(store, node);
  const owned = await store.ownerships.claim(node, [], NOW);
  const fence = owned?.find((one) => one.integrationId === integrationId)?.fence ?? 0;
  const round = (count: number, results: AttemptResult[] = [], now = NOW) => {
    const claims = count > 0 ? [{ applicationId, integrationId, fence, count }] : [];
    return store.deliveries.dispatch({ node, now, results, claims });
  };
  return {
    applicationId,
    integrationId,
    node,
    fence,
    round,
    async accept(...recipients: string[]): Promise<number[]> {
      const messages = recipients.map((recipient) => ({
        applicationId,
        integrationId,
        recipient,
        activity: '{}',
        objectId: null,
        type: 'Create' as const,
        expiresAt: null,
        createdAt: NOW,
      }));
      const [accepted] = await store.messages.accept([{ messages }]);
      assert.ok(accepted && 'ids' in accepted);
      return accepted.ids;
    },
    settle(
      claimed: ClaimedMessage | undefined,
      change: Partial<AttemptResult> = {},
    ): AttemptResult {
      assert.ok(claimed);
      return {
        integrationId,
        fence,
        messageId: claimed.id,
        start: claimed.starts,
        recipient: claimed.recipient,
        state: 'sent',
        failed: false,
        partsSent: 1,
        channelIds: null,
        reason: null,
        detail: null,
        dueAt: NOW,
        waits: null,
        attempt: null,
        applicationId,
        event: null,
        reportedAs: null,
        trace: null,
        health: null,
        wasUnhealthy: false,
        ...change,
      };
    },
    state: async (id: number) => (await store.messages.get(applicationId, id))?.state,
    lanes: () =>
      store.engine.db
        .selectFrom('lanes')
        .selectAll()
        .where('integrationId', '=', integrationId)
        .execute(),
  };
}
