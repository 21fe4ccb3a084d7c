// The test runner follows every promise, to say which test an error is of that nobody caught. That takes half of
// the time of what makes many of them, as the service does. Without it the error of a promise fails the whole file.
import hooks from 'node:async_hooks';
import { createRequire } from 'node:module';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
createRequire(import.meta.url)('node:test');
hooks.createHook = createHook;
