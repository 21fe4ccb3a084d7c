import type {
  AttemptResult,
  ClaimedMessage,
  DispatchRound,
} from '../../../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NODE, NOW, type Subject, acceptMessages } from './subject.ts';

const LEASE_MS = 3_600_000;
const ATTEMPT = {
  startedAt: NOW,
  duration: 1,
  outcome: 'sent',
  part: 0,
  status: '204',
  code: null,
  detail: null,
  request: null,
  withActivity: 0,
  answer: null,
} as const;

/** Calls all methods that a node uses to own integrations and deliver their messages. */
export async function exerciseDelivery(store: Store, subject: Subject): Promise<void> {
  const { applicationId, integrationId } = subject;
  const { ownerships, deliveries } = store;
  const place = { applicationId, integrationId };
  const at = { host: 'h', pid: 1, startedAt: NOW, ring: '' } as const;
  const node = { id: NODE, role: 'deliver', ...at } as const;
  await ownerships.renew(node, LEASE_MS, NOW);
  await ownerships.nodes(NOW);
  await ownerships.renew({ ...node, id: 'gone' }, -1, NOW);
  await ownerships.unowned(100);
  await store.lanes.repair([place], NOW);
  await ownerships.claim(NODE, ['dead'], NOW);
  await ownerships.claim(NODE, [], NOW);
  await ownerships.shortfall(NODE, ['dead'], NOW);
  await ownerships.counts();
  const owned = await ownerships.ownedBy(NODE);
  const { fence = 0, teamId = null } =
    owned.find((one) => one.integrationId === integrationId) ?? {};
  const mine = { ...place, fence, teamId };
  await acceptMessages(store, subject, ['due']);
  await ownerships.due(NODE, NOW);
  await ownerships.moveDueTimesBack(NODE, 1, NOW);
  await ownerships.forget(['dead'], NOW);
  await ownerships.forget([], NOW);

  await acceptMessages(store, subject, ['sent', 'failed', 'retried', 'reported']);
  const round = (results: AttemptResult[], count: number) =>
    deliveries.dispatch({ node: NODE, now: NOW, results, claims: claimsOf(mine, count) });
  const { claimed, statuses } = await round([], 16);
  for (const integrationStatus of statuses) deliveries.open(integrationStatus);
  await deliveries.inFlight([mine]);
  const results = claimed.map((message, i) => resultOf(mine, message, i));
  await round(results, 1);
  const [first] = claimed;
  if (first) await deliveries.sentParts({ ...place, recipient: first.recipient }, 'name');
  await deliveries.sentParts({ ...place, recipient: 'sent', id: first?.id ?? 1 }, 'name');
  await deliveries.activities({ ...place, recipient: 'sent' }, 'name');
  await deliveries.activities({ ...place, recipient: 'sent', id: first?.id ?? 1 }, 'name');

  const { credentials = '' } =
    (await store.engine.db
      .selectFrom('integrations')
      .select('credentials')
      .where('id', '=', integrationId)
      .executeTakeFirst()) ?? {};
  await ownerships.pause(
    mine,
    NODE,
    credentials,
    { reason: 'rate_limit', detail: '', until: NOW },
    NOW,
  );
  await ownerships.pause(
    mine,
    NODE,
    credentials,
    { reason: 'credentials', detail: '', until: null },
    NOW,
  );
  await store.totals.run(NOW);
  await ownerships.releaseIntegrations(NODE, [mine]);
  await ownerships.claim(NODE, [], NOW);
}

type Mine = Pick<AttemptResult, 'applicationId' | 'integrationId' | 'fence'>;

const claimsOf = (
  { applicationId, integrationId, fence }: Mine,
  count: number,
): DispatchRound['claims'] => [{ applicationId, integrationId, fence, count }];

/** Every outcome in rotation: sent, failed, to be retried, and sent with a delivery report expected. */
function resultOf(mine: Mine, { id, starts, recipient }: ClaimedMessage, i: number): AttemptResult {
  const outcome = [
    { state: 'sent', health: 'ok' },
    { state: 'failed', health: 'transient', failed: true },
    { state: 'queued', health: 'transient', failed: true, dueAt: NOW + 1_000, waits: 'retry' },
    { state: 'sent', health: 'ok', reportedAs: `channel ${id}` },
  ] as const;
  const { applicationId, integrationId, fence } = mine;
  return {
    applicationId,
    integrationId,
    fence,
    messageId: id,
    start: starts,
    recipient,
    failed: false,
    partsSent: 1,
    channelIds: null,
    reason: null,
    detail: null,
    dueAt: NOW,
    waits: null,
    attempt: ATTEMPT,
    event: '{}',
    reportedAs: null,
    trace: null,
    wasUnhealthy: true,
    ...(outcome[i % outcome.length] ?? outcome[0]),
  };
}
