import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { TOKEN as WHATSAPP } from '../emulators/meta/graph.ts';
import { NUMBER_ID, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import { ACCOUNT, SENDER, TOKEN as TWILIO, openTwilio } from '../emulators/sms/twilio.ts';
import { type DeliverySetup, openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

const digest = (text: string) => hash('sha256', text);

/** Templates of a page. */
const COUNT = 100;
const TEXT = `a\0b\uD800${'x'.repeat(5_000)}`;

interface Case extends Pick<DeliverySetup<Awaited<ReturnType<typeof openTwilio>>>, 'open'> {
  channel: string;
  credentials: Record<string, string>;
  /** A page, which says that there is another. */
  page(templates: readonly unknown[]): object;
  template(number: number, named?: object): object;
  /** The member that has the name. */
  name: string;
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
    name: 'name',
    template: (number, named) => ({
      name: `template_${number}`,
      language: 'en_US',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: TEXT }],
      ...named,
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
    name: 'friendly_name',
    template: (number, named) => ({
      sid: `HX${String(number).padStart(32, '0')}`,
      friendly_name: `template_${number}`,
      language: 'en',
      types: { 'twilio/text': { body: TEXT } },
      ...named,
    }),
  },
];

for (const engine of ENGINES) {
  for (const { channel, page, template, name, ...given } of CASES) {
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

      it(`templates of ${channel} with a name or a language that no request can have are left out`, async () => {
        await using sb = await openDelivery(engine, { channel, ...given });
        // Does not compress: the database limits what an index entry takes in the end.
        const long = Array.from({ length: 100 }, (_, i) => digest(`${i}`)).join('');
        const list = [template(0), template(1, { [name]: long }), template(2, { language: long })];
        const body = JSON.stringify({ ...page(list), paging: {}, meta: {} });
        sb.peer.next({ status: 200, body });
        const path = `/1/integrations/${sb.integrationId}/templates`;
        const synced = await sb.app.post(`${path}/sync`);
        assert.equal(synced.status, 202, synced.text);
        const { data } = (await sb.app.get(path)).body;
        assert.deepEqual(
          data.map((one: { name: string }) => one.name),
          ['template_0'],
        );
      });
    });
  }
}
