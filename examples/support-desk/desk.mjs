import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { Switchboard } from '@switchboard/sdk';

const { SWITCHBOARD_URL: url = 'http://localhost:8080', SWITCHBOARD_TOKEN, PORT } = process.env;
const client = new Switchboard({ url, token: SWITCHBOARD_TOKEN ?? '' });

/** Shows user input as text, never as markup. @param {string} words */
const escape = (words) => words.replaceAll(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** @param {import('@switchboard/sdk').ConversationEntry} entry */
function line({ message, event }) {
  const said = message?.message ?? event?.data;
  const object = said && 'object' in said ? said.object : undefined;
  const from = message ? `You (${message.state})` : 'They';
  return `<p><b>${from}</b> ${escape(object?.content ?? `(${object?.type})`)}</p>`;
}

/** @param {import('@switchboard/sdk').Conversation} conversation */
async function section({ id, to, channel, contact, unread }) {
  const who = escape(contact?.name ?? to);
  const entries = await client.conversations.messages(id).first(20);
  return `<section><h2>${who} <small>${channel}, ${unread} unread</small></h2>
${entries.toReversed().map(line).join('\n')}
<form method="post"><input type="hidden" name="id" value="${id}">
<input name="text" aria-label="Answer to ${who}" required> <button>Answer</button></form></section>`;
}

async function page() {
  const conversations = await client.conversations.list().first(20);
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Inbox</title><h1>Inbox</h1>
${(await Promise.all(conversations.map(section))).join('\n') || '<p>Nobody has written yet.</p>'}</html>`;
}

/** @param {import('node:http').IncomingMessage} request */
async function answer(request) {
  const form = new URLSearchParams(await text(request));
  const { id, to, integration_id: via } = await client.conversations.get(Number(form.get('id')));
  await client.messages.send({ to, via, text: form.get('text') ?? '' });
  await client.conversations.read(id);
}

const server = createServer((request, response) => {
  const handled = request.method === 'POST' ? answer(request).then(() => undefined) : page();
  const policy = "default-src 'none'; form-action 'self'";
  const type = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy };
  const headers = { ...type, location: '/' };
  handled.then(
    (html) => response.writeHead(html === undefined ? 303 : 200, headers).end(html),
    () => response.writeHead(502).end(),
  );
});
// Local use only: anyone who can open the page can answer.
server.listen(Number(PORT ?? 3000), '127.0.0.1');
await once(server, 'listening');
const address = server.address();
console.log(`http://127.0.0.1:${typeof address === 'object' && address?.port}`);
