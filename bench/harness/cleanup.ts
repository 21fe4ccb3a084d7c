/*
 * Cleanup: nothing that a benchmark starts may outlive this process, however it ends. Everything that is started registers
 * a function that ends it; the functions run in reverse order.
 */
type End = () => void | Promise<void>;

const ends = new Set<End>();

/** Registers a cleanup. Call the returned function if it is no longer needed. */
export function atEnd(end: End): () => void {
  ends.add(end);
  return () => void ends.delete(end);
}

/** Runs some work, then the cleanups registered during it. */
export async function endedAfter<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = new Set(ends);
  try {
    return await work();
  } finally {
    await endEach(before);
  }
}

let ending: Promise<void> | undefined;

/** Runs all cleanups once. Further callers, such as an interrupted run, wait for the same cleanup. */
export function endAll(): Promise<void> {
  ending ??= endEach();
  return ending;
}

/** Runs all cleanups except `others`. */
async function endEach(others: ReadonlySet<End> = new Set()): Promise<void> {
  const last = () => [...ends].findLast((end) => !others.has(end));
  for (let end = last(); end; end = last()) {
    ends.delete(end);
    try {
      await end();
    } catch (error) {
      // The remaining cleanups must still run.
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}

async function failed(error: Error): Promise<void> {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  await endAll();
  process.exit(1);
}

/** Cleans up on a signal or an uncaught error, and sets the exit code accordingly. */
export function endWhenInterrupted(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(signal, () => void endAll().then(() => process.exit(code)));
  }
  process.once('uncaughtException', (error) => void failed(error));
}
