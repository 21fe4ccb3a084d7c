import { findChannel } from '../../src/channels/index.ts';
import { SANDBOX_FAULTS, SANDBOX_FAULT_NAMES, numberOf } from '../../src/sandbox/faults.ts';
import { SIMULATED_CHANNELS, loadSimulator } from '../../src/sandbox/index.ts';
import { table } from './table.ts';

const SIMULATORS = await Promise.all(SIMULATED_CHANNELS.map(loadSimulator));

/** Fits a column: the subscription of a browser has 200 characters. */
const MAX_SHOWN = 60;

const shown = (address: string) =>
  `\`${address.length > MAX_SHOWN ? `${address.slice(0, MAX_SHOWN)}…` : address}\``;

/** docs/sandbox.md: the faults, and the addresses that provoke them. */
export function sandboxPage(notice: string): string {
  const faults = SANDBOX_FAULT_NAMES.map((name) => [
    numberOf(name),
    `\`${name}\``,
    SANDBOX_FAULTS[name],
  ]);
  const lacking = SIMULATORS.flatMap((simulator) => {
    if (!simulator?.lacks) return [];
    const title = findChannel(simulator.channel)?.title ?? simulator.channel;
    return [[title, simulator.lacks.map((name) => `\`${name}\``).join(', ')]];
  });
  const channels = SIMULATORS.flatMap((simulator) => {
    if (!simulator) return [];
    const title = findChannel(simulator.channel)?.title ?? simulator.channel;
    const people = simulator.people
      .filter(({ isOnlyInRooms }) => !isOnlyInRooms)
      .map(({ address }) => shown(address))
      .join(', ');
    const magic = shown(simulator.magicAddress('004'));
    return [[title, people, simulator.isMagicText ? `the text ${magic}` : magic]];
  });
  return `# Sandbox

${notice}
<!-- From src/sandbox/. -->

An integration with \`"mode": "sandbox"\` talks to a built-in simulator of its vendor. It needs no credentials, and nothing leaves the
machine. Everything else works as in live mode: the same code renders, signs, sends, retries and verifies. The console shows the recipient's phone
("Open phone" on the page of the integration); \`switchboard sandbox\`, \`client.sandbox\` and \`/1/sandbox/{id}\` do the same for tests.

- \`switchboard integrations add telegram --sandbox\` adds an integration; \`GET /1/channels\` lists the channels that have \`sandbox\`.
- \`switchboard demo\` fills a team with sandbox integrations and conversations, to look around; \`switchboard demo --remove\` removes them.
- \`GET /1/sandbox/{id}/messages\` lists what the phones show, drawn from the requests that the simulated vendor received.
- \`POST /1/sandbox/{id}/reply\`, \`press\`, \`react\`, \`join\`, \`leave\` and \`block\` act as a person. The event arrives as it would from the vendor.
- \`POST /1/sandbox/{id}/receipts\` reports a message as delivered, read or failed, on channels with delivery reports.
- \`PUT /1/sandbox/{id}/behaviour\` sets faults for all messages or one address; \`POST /1/sandbox/{id}/reset\` empties the phones.
- \`PUT /1/integrations/{id}\` with \`"mode": "live"\` and credentials goes live, once, if the vendor accepts them and no message waits.
  Messages of the sandbox stay marked with \`sandbox: true\` and are never sent to the vendor.

Twilio answers STOP, START and HELP by SMS itself, and refuses messages after STOP until START. Pushover reports that messages of priority 2 were
read, Microsoft Teams and Matrix those in personal conversations. Places are links to a map on channels without places.

WhatsApp, also through Twilio, refuses free text to people who have not written for 24 hours, and to "Silent", who never writes first. Other
simulated people count as having written. Both vendors have templates to sync.

The sandbox keeps 1,000 entries and 20 MB of files per integration, for 7 days. Files at other addresses are not fetched.
\`SWITCHBOARD_SANDBOX=off\` switches it off: sandbox integrations are refused with \`sandbox_off\`, and their messages fail.

Events of the sandbox have \`sandbox: true\`. Statistics and metrics count it separately: \`GET /1/statistics?mode=sandbox\`,
\`switchboard_sandbox_messages_accepted_total\` and \`switchboard_sandbox_attempts_total\`.

Email, IRC, XMPP, SMPP, Signal and Discord's gateway use sessions. There the simulator is a server of the protocol inside the process:
what people do waits until the session of the integration has received it.

## Faults

A message to a magic address provokes the fault with that number. A fault that would repeat forever happens once per address, so that a
test sees the recovery too. The same names are standing faults.

${table(['number', 'name', 'what happens'], faults)}
## Channels

\`GET /1/sandbox/{id}\` lists all addresses of a channel, also those that are cut off here (…). The last three digits are the number of
the fault.
People who are only in rooms are not listed. On channels without addresses, the text of a message provokes the fault.

${table(['channel', 'people', 'address of fault 004'], channels)}
These faults do not exist in the protocol of the channel:

${table(['channel', 'faults'], lacking)}`;
}
