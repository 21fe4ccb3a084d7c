import { createHash } from 'node:crypto';

import { readConfig } from '../src/config.ts';
import { EXAMPLE_ACTIVITY } from '../src/http/activity.ts';
import { openStore } from '../src/setup.ts';
import type { Store } from '../src/store/store.ts';
import { type Bench, ratio } from './bench.ts';
import { percentile } from './endpoint.ts';
import { measureStart } from './start.ts';

/*
 * What a backlog costs: how long it takes to find and start the next message that is due when so many are
 * queued, to ten times fewer recipients.
 */
export interface Backlog {
  queued: number;
  /** One turn that settles a message and starts the next, in milliseconds. */
  turn: number;
}

const BATCH = 2_000;
const TURNS = 400;
const NODE = 'bench';

export async function measureBacklog(
  environment: Record<string, string>,
  queued: number,
): Promise<Backlog> {
  const store = await openStore(readConfig(environment));
  try {
    const now = Date.now();
    const { applicationId, integrationId } = await makeIntegration(store, now);
    const activity = JSON.stringify(EXAMPLE_ACTIVITY);
    for (let i = 0; i < queued; i += BATCH) {
      const messages = Array.from({ length: Math.min(BATCH, queued - i) }, (_, j) => ({
        applicationId,
        integrationId,
        // In no order, as recipients are.
        recipient: createHash('md5')
          .update(String((i + j) % (queued / 10)))
          .digest('hex'),
        activity,
        objectId: null,
        type: 'Create' as const,
        expiresAt: null,
        createdAt: now + Math.floor(i / BATCH),
      }));
      await store.messages.accept([{ messages }]);
    }
    return { queued, turn: await timeTurns(store, integrationId) };
  } finally {
    await store.close();
  }
}

async function makeIntegration(store: Store, now: number) {
  const dated = { createdAt: now, updatedAt: now };
  const [applicationId, integrationId] = [await store.nextId(), await store.nextId()];
  await store.applications.insert({
    id: applicationId,
    teamId: 1,
    ownerId: 1,
    name: 'backlog',
    state: 'enable',
    webhookUrl: null,
    uncertain: 'resend',
    ...dated,
  });
  await store.integrations.insert({
    id: integrationId,
    applicationId,
    name: 'webhook',
    state: 'enable',
    credentials: { address: 'http://127.0.0.1:9' },
    ...dated,
  });
  return { applicationId, integrationId };
}

async function timeTurns(store: Store, integrationId: number): Promise<number> {
  const now = Date.now() + 60_000;
  const host = { role: 'deliver', host: 'bench', pid: 1, startedAt: now } as const;
  await store.ownerships.renew({ id: NODE, ...host }, 3_600_000, now);
  const owned = (await store.ownerships.claim(NODE, [], now)) ?? [];
  const fence = owned.find((one) => one.integrationId === integrationId)?.fence ?? 0;
  const wants = [{ integrationId, fence, count: 1 }];
  const times: number[] = [];
  let settlements: Parameters<Store['deliveries']['turn']>[0]['settlements'] = [];
  for (let i = 0; i < TURNS; i++) {
    const began = performance.now();
    const { taken } = await store.deliveries.turn({ node: NODE, now, settlements, wants });
    times.push(performance.now() - began);
    const [message] = taken;
    if (!message) throw new Error('nothing was due');
    settlements = [
      {
        integrationId,
        fence,
        messageId: message.id,
        start: message.starts,
        recipient: message.recipient,
        state: 'sent',
        failed: false,
        partsSent: 1,
        channelIds: null,
        reason: null,
        detail: null,
        dueAt: now,
        waits: null,
        attempt: null,
        applicationId: message.applicationId,
        event: null,
        reportedAs: null,
      },
    ];
  }
  await store.ownerships.release(NODE);
  return percentile(times, 0.5);
}

export async function report(bench: Bench): Promise<void> {
  const many = bench.options.most ?? 1_000_000;
  const large = bench.embedded();
  const rows: string[][] = [];
  for (const { name, isEmbedded, open } of bench.stores) {
    bench.progress(`backlog: ${name}`);
    const small = await measureBacklog(await open(), 1_000);
    const big = await measureBacklog(isEmbedded ? large : await open(), many);
    const [few, all] = [small.turn, big.turn];
    rows.push([name, `${few.toFixed(2)} ms`, `${all.toFixed(2)} ms`, ratio(all, few)]);
  }
  bench.report(
    [
      'finding and starting the next message',
      'with 1,000 queued',
      `with ${many.toLocaleString('en')}`,
      'ratio',
    ],
    rows,
  );
  const { ready, megabytes = 0 } = await measureStart(large.SWITCHBOARD_DATABASE);
  bench.say(
    `with them: ready after ${Math.round(ready)} ms, ${Math.round(megabytes)} MB resident at work\n`,
  );
}
