import type { Draft } from '../src/accept/draft.ts';
import { Outbound } from '../src/accept/outbound.ts';
import { readConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/runtime/clock.ts';
import type { Activity } from '../src/model/activity.ts';
import { openStore } from '../src/setup.ts';
import type { Store } from '../src/store/store.ts';
import { type Bench, middle, ratio } from './harness/bench.ts';
import { activityThrough, startBenchService } from './harness/service.ts';

/*
 * The cost of accepting a message with a template, and of one on a channel with a window, beside that of a plain
 * message. Without HTTP; messages of a group share commits, and the kinds take turns.
 */

const TEMPLATES = 1_000;
const GROUPS = 40;
const GROUP = 10;
const ROUNDS = 5;
const DAY_MS = 86_400_000;
/** The first phone number of people who get messages in each round, and of those who get one. */
const KNOWN = 16_505_550_000;
const NEW = 16_505_560_000;

interface Places {
  applicationId: number;
  webhook: number;
  whatsapp: number;
}

export async function report(bench: Bench): Promise<void> {
  const { rounds = ROUNDS } = bench.options;
  const rows: string[][] = [];
  for (const { name, open } of bench.stores) {
    const environment = await open();
    const places = await prepare(environment);
    const store = await openStore(readConfig(environment));
    try {
      await fillTemplates(store, places);
      await openWindows(store, places, (rounds + 1) * GROUPS * GROUP);
      const outbound = new Outbound(store, systemClock);
      const kinds = kindsOf(places);
      const times = new Map(Object.keys(kinds).map((kind): [string, number[]] => [kind, []]));
      // The first round is a warm-up and does not count.
      for (let round = 0; round <= rounds; round++) {
        for (let i = 0; i < GROUPS; i++) {
          for (const [kind, draftTo] of Object.entries(kinds)) {
            const drafts = Array.from({ length: GROUP }, (_, n) => {
              const number = i * GROUP + n;
              return draftTo(number, round * GROUPS * GROUP + number);
            });
            const began = performance.now();
            await Promise.all(drafts.map((one) => outbound.accept(places.applicationId, [one])));
            const each = (performance.now() - began) / GROUP;
            if (round > 0) times.get(kind)?.push(each);
          }
        }
        bench.progress(`round ${round}/${rounds}  templates, ${name}`);
      }
      const plain = middle(times.get('text') ?? []);
      for (const [kind, own] of times) {
        rows.push([`${kind}, ${name}`, middle(own).toFixed(3), ratio(middle(own), plain)]);
      }
    } finally {
      await store.close();
    }
  }
  bench.report(['accept', 'ms', 'ratio'], rows);
}

async function prepare(environment: Record<string, string>): Promise<Places> {
  const service = await startBenchService(environment);
  const address = 'https://hook.example.com/';
  const application = await service.application({ name: 'webhook', address });
  const { integrationId: whatsapp } = await service.another(application, {
    name: 'whatsapp',
    mode: 'sandbox',
  });
  await service.running.stop();
  const { applicationId, integrationId: webhook } = application;
  return { applicationId, webhook, whatsapp };
}

/** Everybody has written within the window of an integration that is older than it, so that its state is known. */
async function openWindows(
  store: Store,
  { applicationId, whatsapp: integrationId }: Places,
  count: number,
): Promise<void> {
  const { db } = store.engine;
  const now = Date.now();
  const createdAt = now - 2 * DAY_MS;
  await db.updateTable('integrations').set({ createdAt }).where('id', '=', integrationId).execute();
  const times = { inboundAt: now, openUntil: now + DAY_MS, perhapsUntil: now + DAY_MS };
  for (const [first, people] of [
    [KNOWN, GROUPS * GROUP],
    [NEW, count],
  ] as const) {
    for (let i = 0; i < people; i++) {
      const address = `sandbox.whatsapp:+${first + i}`;
      const row = { applicationId, integrationId, address, ...times };
      await db.insertInto('windows').values(row).execute();
    }
  }
}

/** Many templates of the application, and of the vendor. */
async function fillTemplates(
  store: Store,
  { applicationId, whatsapp: integrationId }: Places,
): Promise<void> {
  const now = Date.now();
  const contents = { en: { content: 'Hi {{ name }}, order {{ number }} is on its way.' } };
  for (let i = 0; i < TEMPLATES; i++) {
    const dated = { createdAt: now, updatedAt: now };
    const id = await store.nextId();
    await store.templates.create({
      applicationId,
      id,
      name: `own_${i}`,
      defaultLanguage: 'en',
      contents,
      ...dated,
    });
  }
  const body = 'Hi {{1}}, order {{2}} is on its way.';
  const texts = ['1', '2'].map((name) => ({ name, kind: 'text', place: 'body' }) as const);
  const definitions = Array.from({ length: TEMPLATES }, (_, i) => ({
    name: `vendor_${i}`,
    language: 'en_US',
    vendorId: '',
    status: 'approved' as const,
    category: 'utility',
    reason: null,
    unsupported: null,
    parameters: texts,
    layout: { body, buttons: [] },
  }));
  const times = { now, nextAt: now + DAY_MS };
  await store.vendorTemplates.replace({ applicationId, integrationId }, definitions, times);
}

/** A draft to one of the known people, or to somebody who gets a message for the first time. */
type DraftTo = (known: number, first: number) => Draft;

function kindsOf({ webhook, whatsapp }: Places): Record<string, DraftTo> {
  const draft = (integrationId: number, to: number, more: Partial<Draft> = {}): Draft => {
    const activity = activityThrough(integrationId, String(KNOWN + to));
    const text = JSON.stringify(activity);
    return { activity: activity as Activity, text, pointer: '/message', base: '', ...more };
  };
  const own = { name: 'own_500', parameters: { name: 'Ada', number: 7 } };
  const vendor = { name: 'vendor_500', parameters: { 1: 'Ada', 2: '7' } };
  return {
    text: (to) => draft(webhook, to),
    'text to WhatsApp': (to) => draft(whatsapp, to),
    'first text to WhatsApp': (_, to) => draft(whatsapp, NEW - KNOWN + to),
    "the application's template": (to) => draft(webhook, to, { template: own }),
    "the vendor's template": (to) => draft(whatsapp, to, { template: vendor }),
  };
}
