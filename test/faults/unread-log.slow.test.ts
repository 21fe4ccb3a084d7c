import { once } from 'node:events';
import { it } from 'node:test';

import { call, commandLine } from '../support/programs/command.ts';
import { until } from '../support/until.ts';

/** More log lines than a pipe holds, which is 64 KiB on Linux. */
const REQUESTS = 2_000;
const MAX_STOP_MS = 25_000;
/** Allowance for a busy machine. */
const SLACK_MS = 15_000;

it('a service whose log is not read ends within 25 s of SIGTERM', async () => {
  await using cli = await commandLine('sqlite', { SWITCHBOARD_LOG_LEVEL: 'trace' });
  const { url, process } = await cli.serve();
  const { child } = process;
  child.stdout?.removeAllListeners('data').pause();
  let answered = 0;
  const request = async () => {
    while (answered < REQUESTS) {
      await call(url, 'GET', '/1/messages');
      answered++;
    }
  };
  await Promise.all(Array.from({ length: 10 }, request));
  process.kill('SIGTERM');
  let ended = false;
  void once(child, 'exit').then(() => (ended = true));
  await until('the process ends', () => ended, MAX_STOP_MS + SLACK_MS);
  child.stdout?.destroy();
});
