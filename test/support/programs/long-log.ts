import { sql } from 'kysely';
import type { Page } from 'playwright-core';

import type { Store } from '../../../src/store/store.ts';

/* Creates a long message log, and scrolls through it in a browser. */

/**
 * Copies an application's only message `count` times as sent messages, one per second, with numbered texts. It uses SQL,
 * because the store's methods would take minutes.
 */
export async function multiply(store: Store, applicationId: number, count: number): Promise<void> {
  const { db } = store.engine;
  const { rows } = await sql<{
    name: string;
  }>`select name from pragma_table_info('outbox')`.execute(db);
  const id = sql`one.id + n`;
  const moment = sql`one.created_at - ${count} * 1000 + n * 1000`;
  const changes: Record<string, ReturnType<typeof sql>> = {
    id,
    sequence: id,
    state: sql`'sent'`,
    recipient: sql`'guest' || n`,
    activity: sql`json_set(one.activity, '$.object.content', 'No. ' || n)`,
    created_at: moment,
    updated_at: moment,
    settled_at: moment,
  };
  const columns = rows.map(({ name }) => sql.ref(name));
  const values = rows.map(({ name }) => changes[name] ?? sql.ref(`one.${name}`));
  await sql`insert into outbox (${sql.join(columns)})
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count - 1})
    select ${sql.join(values)} from outbox one cross join numbers
    where one.application_id = ${applicationId}`.execute(db);
  await sql`update sequences set last = last + ${count} where name = 'message_ids'`.execute(db);
}

/** The rows on the page, with their position in the list and the number in their text. */
export interface Sight {
  rows: { index: number; number: number }[];
  isAll: boolean;
}

/** Scrolls to the end, and resolves when more rows are loaded or all are. */
const FURTHER = `new Promise((resolve) => {
  const isAll = () => document.querySelector('[data-testid=list-end][data-count]') !== null;
  const height = () => document.querySelector('ul[aria-label=Messages]')?.offsetHeight ?? 0;
  const before = height();
  window.scrollTo(0, document.documentElement.scrollHeight);
  const look = () => {
    if (before > 0 && height() === before && !isAll()) return requestAnimationFrame(look);
    const rows = [...document.querySelectorAll('li[data-index]')].map((row) => ({
      index: Number(row.dataset.index),
      number: Number(/No\\. (\\d+)/.exec(row.textContent)?.[1]),
    }));
    resolve({ rows, isAll: isAll() });
  };
  look();
})`;

/** Scrolls to the end until all messages are loaded; calls `see` with the visible rows after each step. */
export async function scrollThrough(page: Page, see: (sight: Sight) => void): Promise<void> {
  await page.locator('li[data-index]').first().waitFor();
  for (;;) {
    const sight = await page.evaluate<Sight>(FURTHER);
    see(sight);
    if (sight.isAll) return;
  }
}

const SCROLL_FRAMES = 60;

/** Scrolls down a little in each of some frames. */
const SCROLL = `new Promise((resolve) => {
  let left = ${SCROLL_FRAMES};
  const step = () => {
    if (left-- === 0) return resolve();
    window.scrollBy(0, 200);
    requestAnimationFrame(step);
  };
  step();
})`;

/** Processor time that the page needs for a frame of scrolling, in milliseconds, from the given position on. */
export async function scrollCost(page: Page, from: number): Promise<number> {
  await page.evaluate(`window.scrollTo(0, ${from})`);
  const devtools = await page.context().newCDPSession(page);
  const used = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
  };
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.evaluate(SCROLL);
  const before = await used();
  await page.evaluate(SCROLL);
  const cost = ((await used()) - before) * 1000;
  await devtools.detach();
  return cost / SCROLL_FRAMES;
}
