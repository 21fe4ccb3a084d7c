import { findChannel } from '../../src/channels/index.ts';
import { SANDBOX_FAULTS, SANDBOX_FAULT_NAMES, numberOf } from '../../src/sandbox/faults.ts';
import { SIMULATED_CHANNELS, loadSimulator } from '../../src/sandbox/index.ts';
import type { RateLimit } from '../../src/sandbox/rate-limits.ts';
import { type Simulator, faultsOf } from '../../src/sandbox/simulator.ts';
import { table } from './table.ts';

const SIMULATORS = await Promise.all(SIMULATED_CHANNELS.map(loadSimulator));

const code = (text: string) => `\`${text}\``;

const titleOf = ({ channel }: Simulator) => findChannel(channel)?.title ?? channel;

/** The addresses that can be written to. */
const peopleOf = ({ people }: Simulator) =>
  people
    .filter(({ isOnlyInRooms }) => !isOnlyInRooms)
    .map(({ address }) => code(address))
    .join(', ');

function magicOf(simulator: Simulator, number: string): string {
  const magic = code(simulator.magicAddress(number));
  return simulator.isMagicText ? `the text ${magic}` : magic;
}

/** Of the page of a channel: whom to write to in its sandbox; empty if it has none. */
export function sandboxSection(channel: string): string {
  const simulator = SIMULATORS.find((each) => each?.channel === channel);
  if (!simulator) return '';
  const faults = faultsOf(simulator).map((name) => [
    code(name),
    magicOf(simulator, numberOf(name)),
  ]);
  return `## Sandbox

In the [sandbox](../sandbox.md), write to ${peopleOf(simulator)}. The ${simulator.isMagicText ? 'texts' : 'addresses'} below trigger
[faults](../sandbox.md#faults) instead:

${table(['fault', simulator.isMagicText ? 'text' : 'address'], faults)}
`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** In the largest unit that fits. */
function timeText(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? UNITS[3];
  const count = seconds / length;
  return count === 1 ? unit : `${count} ${unit}s`;
}

function limitText({ people }: Simulator, limit: RateLimit): string {
  const { count, seconds, per, burst, appliesTo } = limit;
  const time = timeText(seconds);
  const kinds = people.filter(({ address }) => appliesTo?.(address) ?? true);
  const isForRooms = kinds.every(({ isRoom }) => isRoom);
  const isForPeople = kinds.every(({ isRoom }) => !isRoom);
  const each = appliesTo && isForRooms ? 'room' : appliesTo && isForPeople ? 'person' : 'recipient';
  const whom = per === 'account' ? '' : ` to each ${each}`;
  const atOnce = burst === undefined ? '' : `, at most ${burst} at once`;
  const until = limit.untilReply ? ' who does not answer' : '';
  return `${count.toLocaleString('en')} per ${time}${whom}${until}${atOnce}`;
}

/** docs/sandbox.md: the faults, and the addresses that trigger them. */
export function sandboxPage(notice: string): string {
  const faults = SANDBOX_FAULT_NAMES.map((name) => [
    numberOf(name),
    `\`${name}\``,
    SANDBOX_FAULTS[name],
  ]);
  const simulators = SIMULATORS.filter((each) => each !== undefined);
  const lacking = simulators.flatMap((simulator) =>
    simulator.lacks ? [[titleOf(simulator), simulator.lacks.map(code).join(', ')]] : [],
  );
  const channels = simulators.map((simulator) => [
    titleOf(simulator),
    peopleOf(simulator),
    magicOf(simulator, '004'),
  ]);
  const limits = simulators.map((simulator) => [
    titleOf(simulator),
    'none' in simulator.limits
      ? `none: ${simulator.limits.none}`
      : simulator.limits.map((one) => limitText(simulator, one)).join('; '),
  ]);
  return `# Sandbox

${notice}
<!-- From src/sandbox/. -->

An integration with \`"mode": "sandbox"\` talks to a built-in simulator of its vendor. It needs no credentials, and nothing leaves the
machine. Everything else works as in live mode: the same code renders, signs, sends, retries and verifies. The console shows the recipient's phone
("Open phone" on the page of the integration); \`switchboard sandbox\`, \`client.sandbox\` and \`/1/sandbox/{id}\` do the same for tests.

- \`switchboard integrations add telegram --sandbox\` adds an integration; \`GET /1/channels\` lists the channels that have \`sandbox\`.
- \`switchboard demo\` fills a team with sandbox integrations and conversations; \`switchboard demo --remove\` removes them.
- \`GET /1/sandbox/{id}/messages\` lists what the phones show, drawn from the requests that the simulated vendor received.
- \`POST /1/sandbox/{id}/reply\`, \`press\`, \`react\`, \`join\`, \`leave\` and \`block\` act as a person. The event arrives as it would from the vendor.
- \`POST /1/sandbox/{id}/receipts\` reports a message as delivered, read or failed, on channels with delivery reports.
- \`PUT /1/sandbox/{id}/behaviour\` sets faults for all messages or one address, for some \`seconds\` or the next messages (\`times\`); \`POST /1/sandbox/{id}/reset\` empties the phones.
- \`PUT /1/integrations/{id}\` with \`"mode": "live"\` and credentials goes live, once, if the vendor accepts them and no message waits.
  In the console, "Go live" on the integration's page does this.
  Messages of the sandbox stay marked with \`sandbox: true\` and are never sent to the vendor.

Twilio answers STOP, START and HELP by SMS itself, and refuses messages after STOP until START. Pushover reports that messages of priority 2 were
read; Microsoft Teams and Matrix report it in personal conversations. Places are links to a map on channels without places.

WhatsApp (also through Twilio and Vonage), Messenger and Instagram refuse free text to people who have not written for 24 hours, and WeChat to
those who have not written for 48. All of them refuse it to "Silent", who never writes first; other simulated people count as having written.
WeChat also refuses a sixth message in answer to one. WhatsApp and Twilio have templates to sync.

Simulators enforce the [rate limits](#rate-limits) that their vendors document, and refuse faster requests in the vendor's format. You will rarely see
it happen: delivery stays below the limits and makes messages wait (\`waiting.reason\` is \`rate_limit\`). The fault \`limited\` shows a refusal.

The sandbox keeps 1,000 entries (20 MB) and 20 MB of files per integration, for 7 days. Files are not fetched from
other servers: a sample takes their place.
\`SWITCHBOARD_SANDBOX=off\` switches it off: sandbox integrations are refused with \`sandbox_off\`, and their messages fail.

Events of the sandbox have \`sandbox: true\`. Statistics and metrics count the sandbox separately: \`GET /1/statistics?mode=sandbox\`,
\`switchboard_sandbox_messages_accepted_total\` and \`switchboard_sandbox_attempts_total\`.

Email, IRC, XMPP, SMPP, Signal and Discord's gateway use sessions. There the simulator is a server of the protocol inside the process:
what people do waits until the session of the integration has received it.

## Faults

An address that contains the number of a fault triggers it; [Channels](#channels) shows such an address of each channel. A fault that would repeat forever happens once per address, so that a
test sees the recovery too. Standing faults (\`PUT /1/sandbox/{id}/behaviour\`) have the same names.

${table(['number', 'name', 'what happens'], faults)}
## Channels

The digits \`004\` in the address are the number of the fault. \`GET /1/sandbox/{id}\` lists all addresses of a channel, and so does
the page of the [channel](channels/README.md).
People who are only in rooms are not listed. On channels without addresses, the text of a message triggers the fault.

${table(['channel', 'people', 'address of fault 004'], channels)}
Channels have only the faults that are possible there. \`read\` and the faults of delivery reports need channels that report these states, and
\`repeated_webhook\`, \`reordered_webhooks\` and \`stop\` need channels that receive answers. The protocols of these channels lack other
faults too:

${table(['channel', 'faults'], lacking)}
## Rate limits

Simulators refuse messages above these limits. Delivery stays below them, except the limits of ntfy, which operators of servers change, and the
quotas of Viber and Pushover: when these are used up, messages wait.

${table(['channel', 'messages'], limits)}`;
}
