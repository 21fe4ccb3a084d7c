/*
 * What was started here must not outlive this process, however that ends: everything that is started says how it
 * is ended, and the last is ended first.
 */
type End = () => void | Promise<void>;

const ends = new Set<End>();

/** Answers how to say that it has ended by itself. */
export function atEnd(end: End): () => void {
  ends.add(end);
  return () => void ends.delete(end);
}

/** Does something, and ends whatever was started in it. */
export async function endedAfter<Result>(work: () => Promise<Result>): Promise<Result> {
  const before = new Set(ends);
  try {
    return await work();
  } finally {
    await endEach(before);
  }
}

let ending: Promise<void> | undefined;

/** Once: what is interrupted comes to its end here as well, and waits with whoever interrupted it. */
export function endAll(): Promise<void> {
  ending ??= endEach();
  return ending;
}

/** All but those. */
async function endEach(others: ReadonlySet<End> = new Set()): Promise<void> {
  const last = () => [...ends].findLast((end) => !others.has(end));
  for (let end = last(); end; end = last()) {
    ends.delete(end);
    try {
      await end();
    } catch (error) {
      // The others are to be ended all the same.
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}

async function failed(error: Error): Promise<void> {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  await endAll();
  process.exit(1);
}

/** Whoever is interrupted, or fails where nobody waits, ends everything; the exit code says by what. */
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
