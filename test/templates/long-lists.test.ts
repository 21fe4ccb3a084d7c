import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { TOKEN as WHATSAPP } from '../emulators/meta/graph.ts';
import { NUMBER_ID, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import { ACCOUNT, SENDER, TOKEN as TWILIO, openTwilio } from '../emulators/sms/twilio.ts';
import { type DeliverySetup, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

/** Templates of a page. */
const COUNT = 100;
const TEXT = `a\0b\uD800${'x'.repeat(5_000)}`;

interface Case extends Pick<DeliverySetup<Awaited<ReturnType<typeof openTwilio>>>, 'open'> {
  channel: string;
  credentials: Record<string, string>;
  /** A page, which says that there is another. */
  page(templates: readonly unknown[]): object;
  template(number: number): object;
}

const CASES: readonly Case[] = [
  {
    channel: 'whatsapp',
    open: openWhatsApp,
    credentials: { token: WHATSAPP, username: NUMBER_ID, consumer_key: '102290129340398' },
    page: (data) => ({
      data,
      paging: { cursors: { after: 'same' }, next: 'https://next.example' },
    }),
    template: (number) => ({
      name: `template_${number}`,
      language: 'en_US',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: TEXT }],
    }),
  },
  {
    channel: 'twilio',
    open: openTwilio,
    credentials: { token: ACCOUNT, secret: TWILIO, username: SENDER },
    page: (contents) => ({
      contents,
      meta: { next_page_url: 'URL/v1/ContentAndApprovals?Page=1' },
    }),
    template: (number) => ({
      sid: `HX${String(number).padStart(32, '0')}`,
      friendly_name: `template_${number}`,
      language: 'en',
      types: { 'twilio/text': { body: TEXT } },
    }),
  },
];

for (const engine of ENGINES) {
  for (const { channel, page, template, ...given } of CASES) {
    describe(`templates of ${channel} (${engine})`, () => {
      it(`templates of ${channel} are read from long pages, up to a limit if there is always another`, async () => {
        await using sb = await openDelivery(engine, { channel, ...given });
        const list = Array.from({ length: COUNT }, (_, number) => template(number));
        const body = JSON.stringify(page(list)).replace('URL', sb.peer.url);
        for (let i = 0; i < 50; i++) sb.peer.next({ status: 200, body });
        const path = `/1/integrations/${sb.integrationId}/templates`;
        const synced = await sb.app.post(`${path}/sync`);
        assert.equal(synced.status, 202, synced.text);
        assert.equal((await sb.app.get(path)).body.data.length, COUNT);
        assert.ok(sb.peer.seen.length < 50);
      });
    });
  }
}
