import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { Switchboard, reply } from '@switchboard/sdk';

import { Inbox } from './inbox.mjs';
import { page } from './page.mjs';

const {
  SWITCHBOARD_URL: url = 'http://localhost:8080',
  SWITCHBOARD_TOKEN: token = '',
  PORT,
} = process.env;
const client = new Switchboard({ url, token });
const inbox = new Inbox();

/** @param {import('node:http').IncomingMessage} request */
async function answer(request) {
  const form = new URLSearchParams(await text(request));
  const [key, words] = [form.get('key') ?? '', form.get('text') ?? ''];
  const conversation = inbox.find(key);
  if (!conversation || words === '') return 400;
  await client.messages.send(reply(conversation.last, words));
  inbox.answered(key, words);
  return 303;
}

const server = createServer((request, response) => {
  if (request.method === 'POST') {
    const end = (/** @type {number} */ status) =>
      response.writeHead(status, { location: '/' }).end();
    answer(request).then(end, () => end(502));
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'",
  });
  response.end(page(inbox));
});

// Local use only: anyone who can open the page can answer.
server.listen(Number(PORT ?? 3000), '127.0.0.1');
await once(server, 'listening');
const address = server.address();
console.log(`http://127.0.0.1:${typeof address === 'object' && address?.port}`);

// The feed is read from its beginning, so the desk stores nothing.
for await (const event of client.events({ types: ['message.received'] })) {
  if (event.type === 'message.received') inbox.take(event.data);
}
