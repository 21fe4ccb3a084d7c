// The test runner tracks every promise, to attribute uncaught errors to a test. That doubles the time of code that creates
// many promises, like the service. Without it, an unhandled rejection fails the whole file.
import hooks from 'node:async_hooks';
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Threads run this file too, but no tests.
if (isMainThread) {
  const { createHook } = hooks;
  hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
  createRequire(import.meta.url)('node:test');
  hooks.createHook = createHook;
}
