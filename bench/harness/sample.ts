import { setTimeout as pause } from 'node:timers/promises';

import { readConfig } from '../../src/config.ts';
import type { Id } from '../../src/model/id.ts';
import { openStore } from '../../src/setup.ts';
import type { AttemptResult } from '../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';
import { startProcess } from './processes.ts';
import { startBenchService } from './service.ts';

/** A message that was really sent, as a template for copies. */
export interface Sample {
  id: Id;
  applicationId: Id;
  integrationId: Id;
  activity: string;
  attempt: NonNullable<AttemptResult['attempt']>;
  event: string;
}

/** Sends one message through a webhook and reads its rows. The store then holds nothing else. */
export async function takeSample(environment: Record<string, string>): Promise<Sample> {
  const sink = await startProcess('bench/harness/sink.ts', []);
  const service = await startBenchService(environment);
  const application = await service.application({ name: 'webhook', address: sink.url });
  const { id } = await service.call(
    '/1/message',
    JSON.parse(application.body('sample')),
    application.token,
  );
  while ((await service.call(`/1/messages/${id}`, undefined, application.token)).state !== 'sent') {
    await pause(20);
  }
  await service.running.stop();
  await sink.stop();
  const store = await openStore(readConfig(environment));
  try {
    return await read(store, application.applicationId, id);
  } finally {
    await store.close();
  }
}

async function read(store: Store, applicationId: Id, id: Id): Promise<Sample> {
  const message = await store.messages.get(applicationId, id);
  const attempt = await store.engine.db
    .selectFrom('attempts')
    .selectAll()
    .where('applicationId', '=', applicationId)
    .where('messageId', '=', id)
    .executeTakeFirst();
  const [event] = await store.events.list(applicationId, 0, 1);
  if (!message || !attempt || !event) throw new Error('the message was not recorded');
  const { integrationId, activity } = message;
  return { id, applicationId, integrationId, activity, attempt, event: event.data };
}
