import { readFileSync, readdirSync } from 'node:fs';

/* CPU time of processes, as Linux counts it: in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  pid: number;
  parent: number;
  /** CPU time of the process and of its ended children, in ticks. */
  ticks: number;
}

/** CPU seconds of a process with its threads and descendants. */
export function cpuSeconds(root: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => counted(Number(name)) ?? []);
  const byParent = Map.groupBy(all, ({ parent }) => parent);
  const sum = (one: ProcessTimes): number =>
    one.ticks + (byParent.get(one.pid) ?? []).reduce((total, child) => total + sum(child), 0);
  const first = all.find(({ pid }) => pid === root);
  if (!first) throw new Error(`there is no process ${root}`);
  return sum(first) / TICKS_PER_SECOND;
}

export function parentOf(pid: number): number {
  return counted(pid)?.parent ?? 0;
}

/** Undefined if the process has ended. */
function counted(pid: number): ProcessTimes | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ticks = fields.slice(11, 15).reduce((total, count) => total + count, 0);
    return { pid, parent, ticks };
  } catch {
    return undefined;
  }
}
