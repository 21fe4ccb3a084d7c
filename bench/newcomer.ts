import { playNewcomer } from '../test/support/programs/newcomer.ts';
import type { Bench } from './harness/bench.ts';

/* How long a newcomer waits: from `npm start` through the guided start of the console to a message that is answered. */

export async function report(bench: Bench): Promise<void> {
  const { seconds } = await playNewcomer();
  bench.report(
    ['service listens', 'signed in', 'first message answered'],
    [[seconds.listening, seconds.signedIn, seconds.answered].map((time) => `${time} s`)],
  );
}
