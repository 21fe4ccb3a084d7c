import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { deliverEmail } from '../emulators/mail/imap-messages.ts';
import { openImap } from '../emulators/mail/imap.ts';
import { eventsOf } from '../support/service/feed.ts';
import { startTestService } from '../support/service/service.ts';
import { ENGINES } from '../support/store/databases.ts';

const environment = { SWITCHBOARD_ROLE: 'all', SWITCHBOARD_ALLOW_NETWORKS: '127.0.0.0/8' };

const DEEP = Array.from(
  { length: 30 },
  (_, i) => `Content-Type: multipart/mixed; boundary=b${i}-\r\n\r\n--b${i}-\r\n`,
).join('');

for (const engine of ENGINES) {
  describe(`an unreadable inbound message (${engine})`, () => {
    it('an unreadable inbound message is an event and a log entry, and the next message is received', async () => {
      await using peer = await openImap('IMAP4rev1 AUTH=PLAIN IDLE');
      deliverEmail(peer, 5, `From: Eve <eve@example.net>\r\n${DEEP}\r\n`);
      deliverEmail(peer, 6, 'From: Ada <ada@example.net>\r\n\r\nHello');
      await using sb = await startTestService(engine, { environment });
      const { application, app } = await sb.application();
      const created = await app.post('/1/integrations', {
        application_id: application.id,
        state: 'enable',
        name: 'email',
        address: `smtp://127.0.0.1:1 imap://${peer.address}`,
        username: 'bot@example.org',
        token: 'fake-password',
      });
      const [skipped] = await eventsOf(app, 'message.unreadable');
      assert.partialDeepStrictEqual(skipped?.data, {
        integration_id: created.body.id,
        channel: 'email',
        reason: 'malformed',
        sender: 'Eve <eve@example.net>',
        message_id: null,
        received_at: '2026-07-17T09:44:25',
      });
      const entries = sb.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
      const entry = entries.find(({ detail }) => detail === 'malformed');
      assert.partialDeepStrictEqual(entry, { integration_id: created.body.id, channel: 'email' });
      peer.sockets.at(-1)?.write('* 2 EXISTS\r\n');
      const [received] = await eventsOf(app, 'message.received');
      assert.equal(received?.data.object.content, 'Hello');
    });
  });
}
