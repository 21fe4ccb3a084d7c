import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { type Bench, figure, ratio } from './harness/bench.ts';

/*
 * The gains of src/lib/runtime/next-tick.ts and memory.ts, which work around V8. They may go when a gain falls below 3 %.
 */

export async function report(bench: Bench): Promise<void> {
  const [plain = 0] = run('ticks.ts');
  const [kept = 0] = run('ticks.ts', 'kept');
  const [before = 0, after = 0] = run('memory.ts');
  bench.report(
    ['', 'without', 'with', 'ratio'],
    [
      ['`process.nextTick`, ns', figure(plain), figure(kept), ratio(kept, plain)],
      ['resident after loading, MB', figure(before), figure(after), ratio(after, before)],
    ],
  );
}

function run(script: string, ...args: string[]): number[] {
  const file = join(import.meta.dirname, 'runtime', script);
  const { stdout } = spawnSync(process.execPath, ['--expose-gc', file, ...args], {
    encoding: 'utf8',
  });
  return stdout.split(' ').map(Number);
}
