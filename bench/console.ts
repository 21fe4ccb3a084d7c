import type { Page } from 'playwright-core';

import { DESKTOP, openConsole } from '../test/support/programs/console.ts';
import { multiply, scrollThrough } from '../test/support/programs/long-log.ts';
import { integrate, message } from '../test/support/service/activity.ts';
import { type Bench, figure, middle } from './harness/bench.ts';

/* How smoothly the message log scrolls in a browser, by the number of messages loaded. */

const STORED = [1_000, 10_000, 100_000];
/** The scroll distance per frame: a screen in about ten frames. */
const STEP_PIXELS = 90;
const SECONDS = 10;
interface Scrolled {
  /** Time between frames, in milliseconds. */
  frames: number[];
  /** Tasks longer than 50 milliseconds. */
  longTasks: number;
  rows: number;
  heap: number;
}

/** Scrolls down and up again, by one step per frame. */
const SCROLL = (seconds: number) => `new Promise((resolve) => {
  const frames = [];
  let longTasks = 0;
  const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length));
  observer.observe({ type: 'longtask' });
  window.scrollTo(0, 0);
  let last = performance.now(), rows = 0, step = ${STEP_PIXELS};
  const end = last + ${seconds * 1000};
  const frame = (now) => {
    frames.push(now - last);
    last = now;
    rows = Math.max(rows, document.querySelectorAll('li[data-index]').length);
    const bottom = window.scrollY + window.innerHeight >= document.documentElement.scrollHeight;
    if (bottom || window.scrollY === 0) step = bottom ? -${STEP_PIXELS} : ${STEP_PIXELS};
    window.scrollBy(0, step);
    if (now < end) return requestAnimationFrame(frame);
    observer.disconnect();
    resolve({ frames: frames.slice(2), longTasks, rows, heap: performance.memory.usedJSHeapSize });
  };
  requestAnimationFrame(frame);
})`;

export async function report(bench: Bench): Promise<void> {
  const { most = Infinity, seconds = SECONDS } = bench.options;
  const rows: string[][] = [];
  /** Processor time per frame with the fewest messages. */
  let least: number | undefined;
  await using console = await openConsole();
  for (const stored of STORED.filter((count) => count <= most)) {
    bench.progress(`console: ${stored.toLocaleString('en')} messages`);
    const { application, app } = await console.service.application();
    await integrate(app, application.id, { name: 'webmessenger', token: undefined });
    await app.post('/1/message', message({ to: { type: 'Person', id: 'guest' } }));
    await multiply(console.service.store, application.id, stored);
    await using visit = await console.open(`/app/applications/${application.id}/messages`, DESKTOP);
    await scrollThrough(visit.page, () => {});
    const busy = await busyTime(visit.page);
    const scrolled = await visit.page.evaluate<Scrolled>(SCROLL(seconds));
    const perFrame = (await busy()) / scrolled.frames.length;
    least ??= perFrame;
    const times = [figure(perFrame), (perFrame / least).toFixed(2)];
    rows.push([stored.toLocaleString('en'), String(scrolled.rows), ...times, ...cellsOf(scrolled)]);
  }
  bench.report(
    [
      'messages loaded',
      'rows on the page',
      'processor time per frame, ms',
      'ratio',
      'frame to frame, ms',
      'long tasks per second',
      'heap, MB',
    ],
    rows,
  );
}

/** Measures CPU time of the page's main thread. The returned function resolves to the milliseconds since the call. */
async function busyTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const claimed = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const before = await claimed();
  return async () => (await claimed()) - before;
}

function cellsOf({ frames, longTasks, heap }: Scrolled): string[] {
  const seconds = frames.reduce((sum, frame) => sum + frame, 0) / 1000;
  return [figure(middle(frames)), figure(longTasks / seconds), figure(heap / 1e6)];
}
