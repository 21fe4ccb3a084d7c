import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import {
  type MinimalDebian,
  USERS,
  openMinimalDebian,
  whyNoMinimalDebian,
} from './minimal-debian.ts';

/* `npm run test:minimal` runs the README's two commands in full there. */

const why = whyNoMinimalDebian();
/** Both stores, PostgreSQL included. */
const SOME_TESTS = 'test/idempotency';
const START = `
  SWITCHBOARD_PORT=0 npm start >out 2>&1 & started=$!
  for i in $(seq 600); do grep -q 'http://127' out && break; sleep 0.1; done
  url=$(grep -o 'http://127[.0-9]*:[0-9]*' out | head -1)
  node -e 'fetch(process.argv[1] + "/readyz").then((r) => process.exit(r.status === 200 ? 0 : 1))' "$url"
  code=$?; kill $started; cat out; exit $code`;

describe(
  'minimal Debian 13',
  { skip: why !== undefined && process.env['CI'] !== '1' && why },
  () => {
    let debian: MinimalDebian;
    before(() => {
      assert.equal(why, undefined);
      debian = openMinimalDebian();
    });
    after(() => debian[Symbol.dispose]());

    for (const user of USERS) {
      describe(`as ${user}`, () => {
        for (const [name, command] of [
          ['npm ci installs', 'npm ci'],
          ['npm start serves', START],
          ['npm test passes', `npm test -- ${SOME_TESTS}`],
        ] as const) {
          it(name, () => {
            const { status, stdout, stderr } = debian.run(user, command);
            assert.equal(status, 0, stdout + stderr);
          });
        }
      });
    }
  },
);
