import { readFile, writeFile } from 'node:fs/promises';

import { Switchboard, reply } from '@switchboard/sdk';

const { SWITCHBOARD_URL: url = 'http://localhost:8080', SWITCHBOARD_TOKEN: token = '' } =
  process.env;
const client = new Switchboard({ url, token });

// The position in the feed is stored, so that a restarted bot continues there.
const POSITION = 'position.txt';
const after = Number(await readFile(POSITION, 'utf8').catch(() => 0));

for await (const event of client.events({ after, types: ['message.received'] })) {
  if (event.type !== 'message.received') continue;
  const said = event.data.object.content ?? 'something without words';
  const answer = reply(event, `You said: ${said}`);
  // The key prevents a second answer if the bot stops before it stores its position.
  await client.messages.send(answer, { idempotencyKey: `answer-to-${event.id}` });
  await writeFile(POSITION, String(event.id));
}
