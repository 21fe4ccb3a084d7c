import { ConversationProjection } from '../../src/accept/conversations/projection.ts';
import { readConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import type { Id } from '../../src/model/id.ts';
import { ANY_INTEGRATION, DEFAULT_PREFERENCE } from '../../src/model/people/contact.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import type { Bench } from '../harness/bench.ts';
import { fill } from '../harness/filling.ts';
import { type Stores, compare } from '../harness/pairs.ts';
import { takeSample } from '../harness/sample.ts';
import { StoreWork } from '../harness/store-work.ts';

/*
 * The cost of accepting and delivering a plain message to people who are contacts and have conversations, beside an
 * application that uses neither; and that of keeping the conversations up with the feed, which happens in the background.
 */

/** Messages that were sent before, on both stores. */
const STORED = 100_000;
const RECIPIENTS = STORED / 10;
const GROUPS = 100;
const GROUP = 10;
const ROUNDS = 9;
const CONCURRENT = 50;

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const none = await filled(await open());
    const many = await filled(await open());
    await usingStore(many.environment, async (store) => {
      await addContacts(store, many.sample.applicationId);
      await follow(store, many.sample.applicationId);
    });
    const stores: Stores = {
      none: await StoreWork.open(none.environment, none.sample),
      many: await StoreWork.open(many.environment, many.sample),
    };
    const found = await compare(stores, {
      rounds,
      groups: GROUPS,
      group: GROUP,
      recipients: RECIPIENTS,
      progress: (round) => bench.progress(`round ${round}/${rounds}  people, ${name}`),
    });
    await stores.none.close();
    await stores.many.close();
    const following = await usingStore(many.environment, (store) =>
      follow(store, many.sample.applicationId),
    );
    const perMessage = following / ((rounds + 1) * GROUPS * GROUP);
    rows.push(
      [`accept, ${name}`, ...found.accept],
      [`deliver, ${name}`, ...found.deliver],
      [`follow the feed, ${name}`, '', perMessage.toFixed(3), ''],
    );
  }
  bench.report(['', 'nobody known, ms', 'contacts and conversations, ms', 'ratio'], rows);
}

async function filled(environment: { SWITCHBOARD_DATABASE: string }) {
  const sample = await takeSample(environment);
  await fill(environment.SWITCHBOARD_DATABASE, sample, STORED);
  return { environment, sample };
}

async function usingStore<Result>(
  environment: Record<string, string>,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(readConfig(environment));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every recipient is a contact. */
async function addContacts(store: Store, applicationId: Id): Promise<void> {
  const now = Date.now();
  const address = {
    family: 'webhook',
    integrationId: ANY_INTEGRATION,
    label: null,
    preference: DEFAULT_PREFERENCE,
    state: 'active',
    evidence: 'api',
    createdAt: now,
  } as const;
  const about = { locale: null, timezone: null, fields: null, createdAt: now, updatedAt: now };
  for (let done = 0; done < RECIPIENTS; done += CONCURRENT) {
    const add = (_: unknown, i: number) => {
      const recipient = `recipient-${done + i}`;
      const contact = { applicationId, externalId: recipient, name: recipient, ...about };
      return store.contacts.create(contact, [{ ...address, address: recipient }]);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, add));
  }
}

/** Brings the conversations up to date; returns how long that took, in milliseconds. */
async function follow(store: Store, applicationId: Id): Promise<number> {
  const log = await createLog({ level: 'silent', pretty: false });
  const projection = new ConversationProjection(store, systemClock, log);
  const began = performance.now();
  while (!(await projection.catchUp(applicationId)));
  const took = performance.now() - began;
  await projection.stop();
  return took;
}
