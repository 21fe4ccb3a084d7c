import { argv, env } from 'node:process';
import { fileURLToPath } from 'node:url';

import { Switchboard, pressed, reply } from '@switchboard/sdk';

/**
 * Offers drinks to everybody who writes, and confirms the one that they choose.
 *
 * @param {Switchboard} client
 * @param {AbortSignal} [signal] Stops it.
 */
export async function takeOrders(client, signal) {
  const events = client.events({ types: ['message.received'], ...(signal && { signal }) });
  for await (const event of events) {
    if (event.type !== 'message.received') continue;
    const drink = pressed(event);
    const answer =
      drink === undefined
        ? { text: 'What would you like?', buttons: ['Coffee', 'Tea'] }
        : { markdown: `One **${drink}** is on its way.` };
    // The key prevents a second answer if the bot starts again.
    await client.messages.send(reply(event, answer), { idempotencyKey: `order-${event.id}` });
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { SWITCHBOARD_URL: url = 'http://localhost:8080', SWITCHBOARD_TOKEN: token = '' } = env;
  await takeOrders(new Switchboard({ url, token }));
}
