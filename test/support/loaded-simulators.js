// Reports each simulator of the sandbox that a process loads.
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    if (url.includes('/src/sandbox/vendors/')) process.stderr.write(`loaded ${url}\n`);
    return next(url, context);
  },
});
