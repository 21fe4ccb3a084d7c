import { load } from './embedded/programs.ts';
import type * as main from './main.ts';

/*
 * The start of the executable: the only program inside it that Node.js itself loads. A single executable application is
 * CommonJS, which has no await at the top level.
 */

// DNS lookups run on these threads; see bin/switchboard.js.
// oxlint-disable-next-line node/no-process-env -- a setting of Node itself, read before the configuration
process.env['UV_THREADPOOL_SIZE'] ??= '16';

// Node would print the source line of the error, which has up to 200 kB. The service has a listener of its own.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return;
  process.stderr.write(`${error.stack ?? String(error)}\n`);
  process.exit(1);
});

const { run } = load('main/main.js') as Pick<typeof main, 'run'>;
void run(process.argv).then((code) => {
  process.exitCode = code;
});
