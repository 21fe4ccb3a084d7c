import { ConversationProjection } from '../../src/accept/conversations/projection.ts';
import { readConfig } from '../../src/config.ts';
import { conversationViews } from '../../src/http/views/conversations.ts';
import { timelineOf } from '../../src/http/views/timeline.ts';
import { systemClock } from '../../src/lib/runtime/clock.ts';
import { createLog } from '../../src/lib/telemetry/log.ts';
import type { Conversation } from '../../src/model/people/conversation.ts';
import { openStore } from '../../src/setup.ts';
import type { Store } from '../../src/store/store.ts';
import { type Bench, middle } from '../harness/bench.ts';
import { fill } from '../harness/filling.ts';
import { type Stores, compare } from '../harness/pairs.ts';
import { type Sample, takeSample } from '../harness/sample.ts';
import { StoreWork } from '../harness/store-work.ts';
import { fillConversations } from './conversation-rows.ts';

/*
 * The cost of reading conversations, and of accepting and delivering a message, in an application with a million
 * conversations beside one with a thousand. Without HTTP, so that nothing else hides how the store scales.
 */

const FEW = 1_000;
const MANY = 1_000_000;
/** Messages that were sent to the first thousand recipients before, on both stores. */
const STORED = 10_000;
const GROUPS = 50;
const GROUP = 10;
const ROUNDS = 5;
/** Of each kind, per store. */
const REQUESTS = 400;
const PAGE = 50;

interface Filled {
  environment: { SWITCHBOARD_DATABASE: string };
  sample: Sample;
}

type Request = (reader: Reader) => Promise<unknown>;

const REQUESTED: Readonly<Record<string, Request>> = {
  'list conversations': (reader) => reader.list(),
  'list a later page': (reader) => reader.listLater(),
  search: (reader) => reader.search(),
  'read messages': (reader) => reader.messages(),
  'mark as read': (reader) => reader.markRead(),
};

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS, most = MANY } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const prepare = async (count: number) => {
      bench.progress(`${name}, ${count.toLocaleString('en')} conversations`);
      return filled(await open(), count);
    };
    const [few, many] = [await prepare(FEW), await prepare(most)];
    bench.progress(`reading conversations, ${name}`);
    rows.push(...(await readBoth(name, few, many)));
    const stores: Stores = {
      none: await StoreWork.open(few.environment, few.sample),
      many: await StoreWork.open(many.environment, many.sample),
    };
    const progress = (round: number) =>
      bench.progress(`round ${round}/${rounds}  conversations, ${name}`);
    const load = { rounds, groups: GROUPS, group: GROUP, recipients: FEW, progress };
    const found = await compare(stores, load);
    await stores.none.close();
    await stores.many.close();
    rows.push([`accept, ${name}`, ...found.accept], [`deliver, ${name}`, ...found.deliver]);
  }
  const [less, more] = [FEW, most].map((count) => `${count.toLocaleString('en')}, ms`);
  bench.report(['', less ?? '', more ?? '', 'ratio'], rows);
}

async function filled(
  environment: { SWITCHBOARD_DATABASE: string },
  count: number,
): Promise<Filled> {
  const sample = await takeSample(environment);
  await fill(environment.SWITCHBOARD_DATABASE, sample, STORED);
  const rows = { count, talkative: FEW, events: STORED };
  await fillConversations(environment.SWITCHBOARD_DATABASE, sample, rows);
  return { environment, sample };
}

/** The same requests to both, in turn. */
async function readBoth(name: string, few: Filled, many: Filled): Promise<string[][]> {
  const readers = [await Reader.open(few), await Reader.open(many)] as const;
  const rows: string[][] = [];
  for (const [what, ask] of Object.entries(REQUESTED)) {
    const times: [number[], number[]] = [[], []];
    for (let i = 0; i < REQUESTS; i++) {
      for (const which of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const began = performance.now();
        await ask(readers[which]);
        // The first ones warm up caches and compiled code.
        if (i >= REQUESTS / 4) times[which].push(performance.now() - began);
      }
    }
    const [less, more] = [middle(times[0]), middle(times[1])];
    const ratio = (more / less).toFixed(2);
    rows.push([`${what}, ${name}`, less.toFixed(3), more.toFixed(3), ratio]);
  }
  for (const reader of readers) await reader.close();
  return rows;
}

/** Reads conversations as the API does. */
class Reader {
  readonly #store: Store;
  readonly #projection: ConversationProjection;
  readonly #applicationId: number;
  /** Those that have messages, in mixed order. */
  readonly #talkative: Conversation[];
  #asked = 0;

  private constructor(
    store: Store,
    projection: ConversationProjection,
    applicationId: number,
    talkative: Conversation[],
  ) {
    this.#store = store;
    this.#projection = projection;
    this.#applicationId = applicationId;
    this.#talkative = talkative;
  }

  static async open({ environment, sample }: Filled): Promise<Reader> {
    const { applicationId, integrationId } = sample;
    const store = await openStore(readConfig(environment));
    const log = await createLog({ level: 'silent', pretty: false });
    const projection = new ConversationProjection(store, systemClock, log);
    const places = Array.from({ length: FEW }, (_, n) => {
      return { integrationId, recipient: `recipient-${n}` };
    });
    const found = await store.conversations.at(applicationId, places);
    return new Reader(store, projection, applicationId, found);
  }

  list() {
    return this.#page({ limit: PAGE });
  }

  listLater() {
    return this.#page({ limit: PAGE, startingAfter: this.#next().id });
  }

  async search() {
    const { recipient } = this.#next();
    const found = await this.#store.conversations.search(this.#applicationId, recipient, PAGE);
    return this.#show(found);
  }

  async messages() {
    await this.#projection.catchUp(this.#applicationId);
    return timelineOf(this.#store, this.#next(), {}, 'http://localhost:8080');
  }

  markRead() {
    return this.#store.conversations.markRead(this.#applicationId, this.#next().id);
  }

  async close(): Promise<void> {
    await this.#projection.stop();
    await this.#store.close();
  }

  async #page(request: { limit: number; startingAfter?: number }) {
    await this.#projection.catchUp(this.#applicationId);
    const { items } = await this.#store.conversations.list(this.#applicationId, request);
    return this.#show(items);
  }

  #show(found: readonly Conversation[]) {
    return conversationViews(this.#store, this.#applicationId, found, Date.now());
  }

  #next(): Conversation {
    const one = this.#talkative[(this.#asked++ * 37) % this.#talkative.length];
    if (!one) throw new Error('there is no conversation');
    return one;
  }
}
