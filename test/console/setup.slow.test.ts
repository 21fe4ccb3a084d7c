import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createProgram } from '../../src/cli/program.ts';
import { hashPassword } from '../../src/lib/crypto/password.ts';
import { CHROMIUM, assertFaultless, openBrowser, openPage } from '../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  PASSWORD,
  axeFaults,
  buildConsole,
} from '../support/programs/console.ts';
import { type TestService, startTestService } from '../support/service/service.ts';
import { cookieFor, page } from '../support/service/session.ts';
import { ENGINES } from '../support/store/databases.ts';

/* The sign-in page of a service that was just installed. */

const setPassword = async ({ store, owner }: TestService) =>
  store.users.update(owner.id, { password: await hashPassword(PASSWORD), updatedAt: Date.now() });

for (const engine of ENGINES) {
  it(`anyone can ask whether a password exists, and learns nothing more (${engine})`, async () => {
    await using sb = await startTestService(engine);
    const ask = async () => {
      const { status, body, headers } = await page(sb).get('/console/setup');
      return [status, body, headers.get('cache-control')];
    };
    assert.deepEqual(await ask(), [200, { password_set: false }, 'no-store']);
    // A user who signed in by link and set no password does not count.
    await cookieFor(sb);
    assert.deepEqual(await ask(), [200, { password_set: false }, 'no-store']);
    // The second user counts as well.
    const { api } = await sb.otherTeam();
    const user = { email: 'ada@example.com', state: 'enable', password: PASSWORD };
    assert.equal((await api.post('/1/users', user)).status, 201);
    assert.deepEqual(await ask(), [200, { password_set: true }, 'no-store']);
  });
}

describe('console: sign-in page', { skip: CHROMIUM.skip }, () => {
  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, phone', DARK_PHONE],
  ] as const) {
    it(`the sign-in page says where the sign-in link is until a password is set (${where})`, async () => {
      const environment = { SWITCHBOARD_CONSOLE_DIR: buildConsole() };
      await using sb = await startTestService('sqlite', { environment });
      const browser = await openBrowser();
      try {
        await using visit = await openPage(browser, `${sb.url}/`, options);
        const hint = visit.page.getByTestId('first-sign-in');
        await hint.waitFor();
        assert.equal(await visit.page.getByLabel('Password').count(), 0, 'no user has a password');
        const commands = await hint.locator('code').allTextContents();
        const [checkout = '', installed = ''] = commands;
        assert.match(checkout, /^npm run -s switchboard -- /);
        assert.match(installed, /^npx switchboard /);
        const names = createProgram().commands.map((command) => command.name());
        for (const command of commands) assert.ok(names.includes(command.split(' ').at(-1) ?? ''));
        assert.deepEqual(await axeFaults(visit.page), []);

        await setPassword(sb);
        await visit.page.reload();
        await visit.page.getByLabel('Password').waitFor();
        assert.equal(await hint.count(), 0);
        assertFaultless(visit);
      } finally {
        await browser.close();
      }
    });
  }
});
