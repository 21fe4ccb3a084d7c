import { Switchboard } from '@switchboard/sdk';

const env = process.env;
const client = new Switchboard({
  url: env.SWITCHBOARD_URL ?? 'http://localhost:8080',
  token: env.SWITCHBOARD_TOKEN ?? '',
});

const [text, ...options] = process.argv.slice(2);
if (!text) throw new Error('usage: node notify.mjs TEXT [--urgent]');

// Everyone sees it in Slack; an urgent alert also goes to the on-call phone.
const messages = [{ to: env.SLACK_CHANNEL ?? '', via: 'slack', markdown: text }];
if (options.includes('--urgent')) {
  messages.push({ to: env.ON_CALL_PHONE ?? '', via: 'twilio', markdown: text });
}

for (const { id } of await client.messages.sendAll(messages)) {
  const { state, error } = await client.messages.settled(id);
  console.log(`message ${id}: ${state}${error ? `, ${error.detail}. ${error.help}` : ''}`);
  if (error) process.exitCode = 1;
}
