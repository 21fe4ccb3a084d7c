import { run } from '../../src/cli/program.ts';

/* The start of the executable. A single executable application is CommonJS, which has no await at the top level. */

// DNS lookups run on these threads; see bin/switchboard.js.
// oxlint-disable-next-line node/no-process-env -- a setting of Node itself, read before the configuration
process.env['UV_THREADPOOL_SIZE'] ??= '16';

void run(process.argv).then((code) => {
  process.exitCode = code;
});
