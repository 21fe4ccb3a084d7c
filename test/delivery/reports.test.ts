import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ACCOUNT, NUMBERS, SENDER, TOKEN, openTwilio } from '../emulators/sms/twilio.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  describe(`delivery reports (${engine})`, () => {
    for (const [what, environment] of [
      ["are sent to the integration's hook", { SWITCHBOARD_PUBLIC_URL: 'https://sb.example' }],
      ['are not requested without a public URL', {}],
    ] as const) {
      it(what, async () => {
        await using sb = await openDelivery(engine, {
          channel: 'twilio',
          open: openTwilio,
          credentials: { token: ACCOUNT, secret: TOKEN, username: SENDER },
          environment,
        });
        const id = await sb.send('Hello', NUMBERS.person);
        assert.equal((await sb.settled(id)).state, 'sent');
        const { body: hook } = await sb.app.get(`/1/integrations/${sb.integrationId}/hook`);
        const isPublic = 'SWITCHBOARD_PUBLIC_URL' in environment;
        const sent = sb.peer.seen.find(({ form }) => form?.['Body'] === 'Hello');
        assert.equal(sent?.form?.['StatusCallback'], isPublic ? hook.url : undefined);
        const [attempt] = await sb.attempts(id);
        const secret = String(hook.url).split('/').at(-1) ?? '';
        assert.ok(
          !attempt?.request?.includes(secret),
          'the attempt contains the address of the hook',
        );
      });
    }
  });
}
