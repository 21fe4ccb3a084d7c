import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { CHROMIUM, assertFaultless, holds } from '../../support/programs/browser.ts';
import {
  DARK_PHONE,
  LIGHT,
  type TestConsole,
  axeFaults,
  openConsole,
} from '../../support/programs/console.ts';
import { integrate } from '../../support/service/activity.ts';
import type { Client } from '../../support/service/client.ts';
import { until } from '../../support/until.ts';

/* The chain of routes of a message, and the content of a scheduled one. */

const ADA_SMS = '+15558675310';
/** Magic recipients of WhatsApp and SMS; see docs/sandbox.md. */
const BLOCKED = '15005550002';
const UNKNOWN = '15005550003';
const NO_RECEIPT = '15005550014';

describe('console: routes', { skip: CHROMIUM.skip }, () => {
  let console: TestConsole;
  let app: Client;
  let base: string;
  const via = { twilio: 0, whatsapp: 0 };

  before(async () => {
    console = await openConsole();
    const { application, app: client } = await console.service.application({
      name: 'fallback-routes',
    });
    app = client;
    base = `/app/applications/${application.id}`;
    for (const name of ['twilio', 'whatsapp'] as const) {
      const sandbox = { name, mode: 'sandbox', token: undefined };
      via[name] = (await integrate(app, application.id, sandbox)).id;
    }
  });
  after(() => console[Symbol.asyncDispose]());

  /** Browsers log refused requests; there must be no other fault. */
  const assertRefusedOnly = ({ faults }: { faults: readonly string[] }) =>
    assert.deepEqual(
      faults.filter((fault) => !/status of (409|422)/.test(fault)),
      [],
    );

  const send = async (to: string, wait: string, next = ADA_SMS) => {
    const { body, text } = await app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service' },
        to: { type: 'Person', id: to },
        object: { type: 'Note', content: 'Your code is waiting.' },
      },
      routes: [
        { via: 'whatsapp', until: 'read', after: wait },
        { via: 'twilio', to: next },
      ],
    });
    assert.ok(body.id, text);
    return Number(body.id);
  };

  it('a message shows its routes: the attempts, the waits, and why the next one started', async () => {
    const [refused, unread, waiting] = [
      await send(BLOCKED, 'PT1H'),
      await send(NO_RECEIPT, 'PT5S'),
      await send('16505551234', 'PT1H'),
    ];
    await using visit = await console.open(`${base}/messages/${refused}`, LIGHT);
    const { page } = visit;
    const route = (number: number) => page.getByTestId(`route-${number}`);
    await page.locator('[data-testid="route-0"][data-state="failed"]').waitFor();
    await page
      .locator('[data-testid="route-1"][data-state="sent"]')
      .or(page.locator('[data-testid="route-1"][data-state="delivered"]'))
      .or(page.locator('[data-testid="route-1"][data-state="read"]'))
      .waitFor();
    await route(0).getByTestId('because').waitFor();
    await route(0).getByTestId('started').waitFor();
    assert.equal(await route(1).getAttribute('aria-current'), 'step');
    assert.deepEqual(await axeFaults(page), []);

    await page.goto(`${console.service.url}${base}/messages/${waiting}`);
    await page.locator('[data-testid="route-1"][data-state="pending"]').waitFor();
    await until('it waits for a report', async () => {
      const { body } = await app.get(`/1/messages/${waiting}`);
      return body.waiting?.reason === 'receipt' || body.state === 'read';
    });

    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${console.service.url}${base}/messages/${unread}`);
    await route(0).locator('[data-testid="because"]').waitFor();
    await page.locator('[data-testid="route-1"][aria-current="step"]').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    assertFaultless(visit);
  });

  it('a message whose routes all failed is resent from the chosen one', async () => {
    const id = await send(UNKNOWN, 'PT1H', `+${UNKNOWN}`);
    await using visit = await console.open(`${base}/messages/${id}`, LIGHT);
    const { page } = visit;
    const failed = (number: number) =>
      page.locator(`[data-testid="route-${number}"][data-state="failed"]`);
    await failed(1).waitFor();
    await failed(0).getByTestId('resend-from').waitFor();
    assert.deepEqual(await axeFaults(page), []);
    await failed(1).getByTestId('resend-from').click();
    await failed(2).waitFor();
    const { routes } = (await app.get(`/1/messages/${id}`)).body;
    assert.deepEqual(
      routes.map((one: { integration_id: number }) => one.integration_id),
      [via.whatsapp, via.twilio, via.twilio],
    );
    assertFaultless(visit);
  });

  for (const [where, options] of [
    ['light, desktop', LIGHT],
    ['dark, narrow phone', { ...DARK_PHONE, viewport: { width: 360, height: 740 } }],
  ] as const) {
    it(`the playground sends with two routes, at a time where the recipient is (${where})`, async () => {
      const search = `?integration=${via.whatsapp}&to=16505551234`;
      await using visit = await console.open(`${base}/playground${search}`, options);
      const { page } = visit;
      await page.getByTestId('add-route').click();
      const second = page.getByTestId('route-2');
      await second.getByTestId('via').selectOption(String(via.twilio));
      await second.getByTestId('minutes').fill('0.01');
      // The number is in the format of the other vendor.
      await second.getByTestId('route-to').fill(ADA_SMS);
      await second.getByTestId('until').selectOption('read');
      await second.getByRole('alert').waitFor();
      assert.ok(await page.getByTestId('send').isDisabled());
      await second.getByTestId('minutes').fill('2');
      const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
      await page.getByTestId('send-at').fill(`${day}T09:00`);
      await page.getByTestId('zone').selectOption('recipient');
      await page.getByRole('alert').first().waitFor();
      // Numbers of the United States have several zones.
      const zone = { quiet_hours: { default_zone: 'Asia/Tokyo', rules: [] } };
      const policies = `/1/applications/${base.split('/').at(-1)}/policies`;
      await console.service.api.put(policies, zone);
      await page.getByTestId('send-at').fill(`${day}T10:00`);
      await page.getByTestId('preview-routes').locator('li').nth(1).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await holds(page, 'document.documentElement.scrollWidth <= innerWidth');
      await page.getByTestId('send').click();
      const sent = await until('it is accepted', async () => {
        const { body } = await app.get('/1/messages?state=scheduled');
        return body.data[0];
      });
      assert.equal(sent.send_at.slice(0, 16), `${day}T01:00`);
      const { body } = await app.get(`/1/messages/${sent.id}`);
      assert.deepEqual(
        body.routes.map((route: Record<string, unknown>) => [
          route['integration_id'],
          route['to'],
          route['until'],
        ]),
        [
          [via.whatsapp, '16505551234', 'read'],
          [via.twilio, ADA_SMS, undefined],
        ],
      );
      await page.goto(`${console.service.url}${base}/messages/${sent.id}`);
      await page.getByTestId('reschedule').click();
      await page.getByTestId('zone').selectOption('recipient');
      await page.getByTestId('send-at').fill(`${day}T12:00`);
      await page.getByTestId('submit').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const { body: changed } = await app.get(`/1/messages/${sent.id}`);
      assert.equal(changed.send_at.slice(0, 16), `${day}T03:00`);
      await app.delete(`/1/messages/${sent.id}`);
      await console.service.api.put(policies, { quiet_hours: { default_zone: null, rules: [] } });
      assertRefusedOnly(visit);
    });
  }

  it('the content of a scheduled message is edited; its time and routes stay', async () => {
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    const { body } = await app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', id: via.whatsapp },
        to: { type: 'Person', id: '16505551234' },
        object: { type: 'Note', content: 'Until tomorow' },
      },
      category: 'marketing',
      send_at,
    });
    const show = async () => (await app.get(`/1/messages/${body.id}`)).body;
    const { send_at: planned } = await show();
    await using visit = await console.open(`${base}/messages/${body.id}`, LIGHT);
    const { page } = visit;
    await page.getByTestId('edit-message').click();
    await page.getByRole('dialog').getByTestId('text').fill('');
    await page.getByTestId('submit').click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByTestId('text').fill('Until tomorrow');
    assert.deepEqual(await axeFaults(page), []);
    await page.getByTestId('submit').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByTestId('bubble').filter({ hasText: 'Until tomorrow' }).waitFor();
    const changed = await show();
    assert.equal(changed.message.object.content, 'Until tomorrow');
    assert.deepEqual([changed.send_at, changed.category], [planned, 'marketing']);
    await app.delete(`/1/messages/${body.id}`);
    assertRefusedOnly(visit);
  });
});
