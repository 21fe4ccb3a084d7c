import type { Page } from 'playwright-core';

import { DESKTOP, type TestConsole, openConsole } from '../test/support/programs/console.ts';
import { multiply, scrollThrough } from '../test/support/programs/long-log.ts';
import { integrate, message } from '../test/support/service/activity.ts';
import { type Bench, figure, middle } from './harness/bench.ts';

/* How smoothly the message log scrolls in a browser, by the number of messages loaded. */

const STORED = [1_000, 10_000, 100_000];
/** The scroll distance per frame: a screen in about ten frames. */
const STEP_PIXELS = 90;
const SECONDS = 5;
const ROUNDS = 5;
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

interface Log extends AsyncDisposable {
  stored: number;
  page: Page;
  /** One entry per round. */
  perFrame: number[];
  scrolled: Scrolled[];
}

/**
 * Scrolls the logs in turns, since a machine is faster at one time than at another: the log measured last would differ
 * from the first even with the same number of messages. The first round only warms up, because a browser compiles the
 * page and collects the garbage of loading it.
 */
export async function report(bench: Bench): Promise<void> {
  const { most = Infinity, seconds = SECONDS, rounds = ROUNDS } = bench.options;
  await using console = await openConsole();
  await using opened = new AsyncDisposableStack();
  const logs: Log[] = [];
  for (const stored of STORED.filter((count) => count <= most)) {
    bench.progress(`console: ${stored.toLocaleString('en')} messages`);
    logs.push(opened.use(await openLog(console, stored)));
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { page, perFrame, scrolled, stored } of logs) {
      await page.bringToFront();
      const busy = await busyTime(page);
      const result = await page.evaluate<Scrolled>(SCROLL(seconds));
      const time = (await busy()) / result.frames.length;
      bench.progress(
        `round ${round}/${rounds}  ${stored.toLocaleString('en')}: ${figure(time)} ms`,
      );
      if (round === 0) continue;
      perFrame.push(time);
      scrolled.push(result);
    }
  }
  const least = logs[0]?.perFrame ?? [];
  bench.report(
    [
      'messages loaded',
      'rows on the page',
      'processor time per frame, ms',
      'ratio',
      'ratios of the rounds',
      'frame to frame, ms',
      'long tasks per second',
      'heap, MB',
    ],
    logs.map(({ stored, perFrame, scrolled }) => {
      const ratios = perFrame.map((time, i) => time / (least[i] ?? Number.NaN));
      return [
        stored.toLocaleString('en'),
        String(Math.max(...scrolled.map(({ rows }) => rows))),
        figure(middle(perFrame)),
        middle(ratios).toFixed(2),
        `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      ].concat(cellsOf(scrolled));
    }),
  );
}

/** The message log with all its messages loaded. */
async function openLog(console: TestConsole, stored: number): Promise<Log> {
  const { application, app } = await console.service.application();
  await integrate(app, application.id, { name: 'webmessenger', token: undefined });
  await app.post('/1/message', message({ to: { type: 'Person', id: 'guest' } }));
  await multiply(console.service.store, application.id, stored);
  const visit = await console.open(`/app/applications/${application.id}/messages`, DESKTOP);
  const { page } = visit;
  await scrollThrough(page, () => {});
  const close = () => visit[Symbol.asyncDispose]();
  return { stored, page, perFrame: [], scrolled: [], [Symbol.asyncDispose]: close };
}

/** Measures CPU time of the page's main thread. The returned function resolves to the milliseconds since the call. */
async function busyTime(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
  const before = await taskMs();
  return async () => (await taskMs()) - before;
}

function cellsOf(scrolled: readonly Scrolled[]): string[] {
  const frames = scrolled.flatMap((one) => one.frames);
  const seconds = frames.reduce((sum, frame) => sum + frame, 0) / 1000;
  const longTasks = scrolled.reduce((sum, one) => sum + one.longTasks, 0);
  const heap = middle(scrolled.map((one) => one.heap));
  return [figure(middle(frames)), figure(longTasks / seconds), figure(heap / 1e6)];
}
