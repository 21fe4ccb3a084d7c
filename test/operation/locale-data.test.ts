import assert from 'node:assert/strict';
import { it } from 'node:test';

import { call, commandLine } from '../support/programs/command.ts';

/*
 * Locale data takes 8 MB of the process once any of it is used (`icudt` in the memory map), so a service that is idle
 * must not have used it.
 */

/** Loaded before the service: writes a line for each use of locale data. */
const PROBE = `
const report = (name) => process._rawDebug('locale data: ' + name + new Error().stack);
for (const { prototype } of [Number, BigInt, Date, Array, String]) {
  for (const name of Object.getOwnPropertyNames(prototype).filter((one) => /^toLocale|^localeC/.test(one))) {
    const original = prototype[name];
    prototype[name] = function (...args) {
      report(name);
      return original.apply(this, args);
    };
  }
}
for (const name of Object.getOwnPropertyNames(Intl).filter((one) => /^[A-Z]/.test(one))) {
  Intl[name] = new Proxy(Intl[name], {
    construct(type, args) {
      report(name);
      return new type(...args);
    },
    apply(type, self, args) {
      report(name);
      return type.apply(self, args);
    },
  });
}`;

it('a service that starts loads no locale data', async () => {
  await using cli = await commandLine('sqlite');
  const probe = `data:text/javascript,${encodeURIComponent(PROBE)}`;
  const service = await cli.serve({ environment: { NODE_OPTIONS: `--import=${probe}` } });
  assert.equal((await call(service.url, 'GET', '/readyz')).status, 200);
  const { code, stderr } = await service.stop();
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /locale data/);
});
