import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';

import type { EngineName } from '../../src/store/schema.ts';
import { SECRETS } from '../channels/meta/proof.ts';
import { TOKEN } from '../emulators/meta/graph.ts';
import { NUMBER_ID, openWhatsApp } from '../emulators/meta/whatsapp.ts';
import type { TestClock } from '../support/clock.ts';
import { openDelivery } from '../support/service/delivery.ts';

/* A service with a WhatsApp integration that receives webhooks from Meta. */

export const openWorld = (engine: EngineName, options: { clock?: TestClock } = {}) =>
  openDelivery(engine, {
    channel: 'whatsapp',
    open: openWhatsApp,
    credentials: { token: TOKEN, username: NUMBER_ID, ...SECRETS },
    ...options,
  });

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Sends Meta's webhook request and expects success. */
export async function receiveWebhook(sb: World, given: object): Promise<void> {
  const { url } = (await sb.app.get(`/1/integrations/${sb.integrationId}/hook`)).body;
  const body = JSON.stringify(given);
  const mac = createHmac('sha256', SECRETS.consumer_secret).update(body).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${mac}` };
  const { status } = await fetch(url, { method: 'POST', headers, body });
  assert.equal(status, 200);
}

export const changes = (value: object, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field,
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550101234', phone_number_id: NUMBER_ID },
            ...value,
          },
        },
      ],
    },
  ],
});
