import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless } from '../../support/programs/browser.ts';
import { OVERFLOWS } from '../../support/programs/console-overflows.ts';
import { type FilledTeam, LONG_NAME, fillTeam } from '../../support/programs/console-states.ts';
import { type TestConsole, axeFaults, openConsole } from '../../support/programs/console.ts';
import { message } from '../../support/service/activity.ts';

/* Every dialog on the narrowest phone, with the longest names: nothing is cut off, and axe finds nothing. */

const A = '/app/applications/$application';

/** Pages, and the buttons that open their dialogs. A space separates the buttons to press one after the other. */
const DIALOGS: readonly [page: string, openers: readonly string[]][] = [
  ['/app/account', ['end-sessions']],
  ['/app/team', ['invite', 'revoke']],
  ['/app/applications', ['create']],
  [`${A}/contacts`, ['create', 'import']],
  [
    `${A}/contacts/$contact`,
    ['merge', 'delete', 'add-address', 'edit-address', 'remove-address', 'erase'],
  ],
  [`${A}/conversations/$conversation`, ['choose-template']],
  [`${A}/messages`, ['export']],
  [`${A}/messages?state=failed`, ['resend-many']],
  [`${A}/messages/$scheduled`, ['edit-message', 'reschedule']],
  [`${A}/integrations/$integration`, ['rename', 'delete']],
  [`${A}/pools`, ['create', 'edit', 'delete']],
  [`${A}/templates`, ['create']],
  [`${A}/templates/$template`, ['delete']],
  [`${A}/events/deliveries`, ['recover']],
  [`${A}/consents`, ['record', 'show', 'show grant']],
  [`${A}/settings`, ['disable', 'delete']],
  [`${A}/settings/webhook`, ['rotate']],
  [`${A}/settings/keys`, ['new-token', 'new-key', 'revoke']],
];

describe('console: dialogs', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let team: FilledTeam;
  let ids: Readonly<Record<string, number>>;
  before(async () => {
    console = await openConsole();
    team = await fillTeam(console.service, 'long names');
    const { body, text } = await team.app.post('/1/message', {
      ...message({
        generator: { type: 'Service', id: String(team.ids.integration) },
        to: { type: 'Person', id: LONG_NAME.slice(0, 128) },
        object: { type: 'Note', content: LONG_NAME },
      }),
      send_at: { local: '09:00', zone: 'UTC' },
    });
    assert.ok(body.id, text);
    ids = { ...team.ids, scheduled: Number(body.id) };
  });
  after(() => console[Symbol.asyncDispose]());

  for (const [route, openers] of DIALOGS) {
    it(`the dialogs of ${route} fit on a phone`, async () => {
      const path = route.replaceAll(/\$(\w+)/g, (_, name: string) => String(ids[name]));
      const { storageState } = team;
      const viewport = { width: 360, height: 740 };
      await using visit = await console.openAsStranger(path, { storageState, viewport });
      const { page } = visit;
      for (const opener of openers) {
        await page.goto(console.service.url + path);
        for (const button of opener.split(' ')) await page.getByTestId(button).last().click();
        await page.getByRole('dialog').first().waitFor();
        assert.deepEqual(await page.evaluate<string[]>(OVERFLOWS), [], opener);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
          assert.deepEqual(await axeFaults(page, rules), [], `${opener}, ${colorScheme}`);
        }
        if (process.env['SCREENSHOTS'] !== undefined) {
          const name = `${route}-${opener}`.replaceAll(/[^\w-]+/g, '_');
          await page.screenshot({ path: `${process.env['SCREENSHOTS']}/dialog-${name}.png` });
        }
      }
      assertFaultless(visit);
    });
  }
});
