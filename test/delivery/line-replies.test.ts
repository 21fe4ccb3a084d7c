import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { it } from 'node:test';

import { PEERS, SECRET, TOKEN, openLine } from '../emulators/line.ts';
import { openDelivery } from '../support/service/delivery.ts';
import { ENGINES } from '../support/store/databases.ts';

for (const engine of ENGINES) {
  it(`replies to a LINE user with the reply token of the received message (${engine})`, async () => {
    await using sb = await openDelivery(engine, {
      channel: 'line',
      open: openLine,
      credentials: { token: TOKEN, secret: SECRET },
    });
    const { url } = (await sb.app.get(`/1/integrations/${sb.integrationId}/hook`)).body;
    sb.peer.grant('fake-reply-token');
    const body = JSON.stringify({
      destination: PEERS.user,
      events: [
        {
          type: 'message',
          mode: 'active',
          timestamp: 1_692_251_666_727,
          source: { type: 'user', userId: PEERS.user },
          webhookEventId: '01H810YECXQQZ37VAXPF6H9E6T',
          deliveryContext: { isRedelivery: false },
          replyToken: 'fake-reply-token',
          message: { id: '1', type: 'text', text: 'Hello' },
        },
      ],
    });
    const signature = createHmac('sha256', SECRET).update(body).digest('base64');
    const headers = { 'content-type': 'application/json', 'x-line-signature': signature };
    const answer = await fetch(url, { method: 'POST', headers, body });
    assert.equal(answer.status, 200);
    for (const content of ['first', 'second']) {
      const id = await sb.send(content, PEERS.user);
      await sb.message(id, ({ state }) => state === 'sent');
    }
    const paths = sb.peer.seen.map(({ path }) => path).filter((path) => path.includes('/message/'));
    assert.deepEqual(paths, ['/v2/bot/message/reply', '/v2/bot/message/push']);
  });
}
