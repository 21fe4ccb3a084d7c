import { readFile, writeFile } from 'node:fs/promises';

import { Switchboard, reply } from '@switchboard/sdk';

const { SWITCHBOARD_URL: url = 'http://localhost:8080', SWITCHBOARD_TOKEN: token = '' } =
  process.env;
const client = new Switchboard({ url, token });

// How far it has come is kept, so that it goes on there when it is started again.
const POSITION = 'position.txt';
const after = Number(await readFile(POSITION, 'utf8').catch(() => 0));

for await (const event of client.events({ after, types: ['message.received'] })) {
  if (event.type !== 'message.received') continue;
  const said = event.data.object.content ?? 'something without words';
  const answer = reply(event, `You said: ${said}`);
  // The key makes it one answer, even if the bot ends before it has noted how far it is.
  await client.messages.send(answer, { idempotencyKey: `answer-to-${event.id}` });
  await writeFile(POSITION, String(event.id));
}
