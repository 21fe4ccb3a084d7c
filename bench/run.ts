import type { Bench } from './harness/bench.ts';
import { endAll, endWhenInterrupted } from './harness/cleanup.ts';
import { type Options, readOptions } from './harness/options.ts';

/*
 * npm run bench [-- BENCHMARK…]: measures and prints tables. Figures that are compared come from one run that alternates
 * between the subjects, and are medians. Compare them with each other, not with those of another machine.
 */
interface Subject {
  report(bench: Bench): Promise<void>;
}

const SUBJECTS: Readonly<Record<string, () => Promise<Subject>>> = {
  start: () => import('./start.ts'),
  runtime: () => import('./runtime.ts'),
  throughput: () => import('./throughput.ts'),
  latency: () => import('./latency.ts'),
  backlog: () => import('./backlog.ts'),
  schedule: () => import('./stored/schedule.ts'),
  neighbor: () => import('./neighbor.ts'),
  takeover: () => import('./takeover.ts'),
  tenants: () => import('./tenants.ts'),
  stalls: () => import('./stalls.ts'),
  commit: () => import('./commit.ts'),
  beside: () => import('./beside.ts'),
  growth: () => import('./growth.ts'),
  consents: () => import('./stored/consents.ts'),
  people: () => import('./stored/people.ts'),
  conversations: () => import('./stored/conversations.ts'),
  templates: () => import('./templates.ts'),
  load: () => import('./load.ts'),
  memory: () => import('./memory.ts'),
  limits: () => import('./limits.ts'),
  nodes: () => import('./nodes.ts'),
  console: () => import('./console.ts'),
  newcomer: () => import('./newcomer.ts'),
  model: () => import('./model.ts'),
};

/** Run only when named: `commit` needs commits to compare, `beside` installs packages, `console` and `newcomer` need a browser, `model` needs saved results. */
const APART = ['commit', 'beside', 'console', 'newcomer', 'model'];

const { subjects, options } = read();
endWhenInterrupted();
try {
  const made = new (await import('./harness/bench.ts')).Bench(options);
  for (const subject of subjects) {
    made.progress(subject);
    await (await SUBJECTS[subject]?.())?.report(made);
  }
} finally {
  await endAll();
}

/** Without arguments, runs all benchmarks except those that must be named. */
function read(): { subjects: string[]; options: Options } {
  const all = Object.keys(SUBJECTS);
  try {
    const { words, options: given } = readOptions(process.argv.slice(2));
    const unknown = words.find((word) => !all.includes(word));
    if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}".`);
    const usual = all.filter((subject) => !APART.includes(subject));
    return { subjects: words.length === 0 ? usual : words, options: given };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.stderr.write(
      `npm run bench -- [${all.join('|')}] [--rounds N] [--seconds N] [--connections N] [--most N] [--store embedded|postgres] [--commits A[..B]] [--full] [--save]\n`,
    );
    process.exit(2);
  }
}
