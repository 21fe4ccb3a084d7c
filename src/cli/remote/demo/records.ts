import type { NewAddress, Switchboard } from '../../../../sdk/src/index.ts';
import type { DemoTarget } from './traffic.ts';

/* What an application of the demo has besides messages: contacts, consents, templates, a pool and quiet hours. */

/** Contacts per application. */
const CONTACTS = 3;
/** Messages scheduled for the next days. */
const SCHEDULED = 2;
const DAY_MS = 86_400_000;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Fills one application, which has these targets. */
export async function addRecords(
  admin: Switchboard,
  application: number,
  targets: readonly DemoTarget[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = targets;
  if (!first) return;
  const { client, scene } = first;
  await admin.applications.setPolicies(
    application,
    {
      quiet_hours: {
        default_zone: 'Europe/Berlin',
        rules: [
          {
            categories: ['marketing'],
            days: [...DAYS],
            from: '21:00',
            until: '08:00',
            action: 'defer',
          },
        ],
      },
    },
    { signal },
  );
  for (const template of scene.templates) await client.templates.create(template, { signal });
  for (let i = 0; i < CONTACTS; i++) await addContact(targets, i, signal);
  await addPool(targets, signal);
}

/** One of the simulated people, with an address on each channel. */
async function addContact(
  targets: readonly DemoTarget[],
  number: number,
  signal: AbortSignal,
): Promise<void> {
  const addresses = new Map<string, NewAddress>();
  let name: string | undefined;
  for (const { channel, sandbox } of targets) {
    const person = sandbox.people.filter(({ room, only_in_rooms }) => !room && !only_in_rooms)[
      number
    ];
    // SMS providers share the addresses.
    const family = channel.category === 'sms' ? 'sms' : channel.name;
    if (!person || addresses.has(family)) continue;
    name ??= person.name;
    addresses.set(family, { channel: `sandbox.${channel.name}`, address: person.address });
  }
  const client = targets[0]?.client;
  if (!client || name === undefined) return;
  const contact = await client.contacts.create(
    {
      name,
      external_id: `demo-${number + 1}`,
      locale: 'en',
      timezone: 'Europe/Berlin',
      fields: { plan: number % 2 === 0 ? 'basic' : 'premium' },
      addresses: [...addresses.values()],
    },
    { signal },
  );
  const [first] = contact.addresses;
  if (!first) return;
  await client.consents.set(
    {
      family: first.channel,
      address: first.address,
      scope: 'marketing',
      state: number % 2 === 0 ? 'granted' : 'revoked',
      evidence: 'Demo',
    },
    { signal },
  );
}

/** Several SMS providers form a pool. */
async function addPool(targets: readonly DemoTarget[], signal: AbortSignal): Promise<void> {
  const members = targets.filter(({ channel }) => channel.category === 'sms');
  if (members.length < 2) return;
  await members[0]?.client.pools.create(
    {
      name: 'sms',
      strategy: 'weighted',
      members: members.map(({ integration }, i) => ({
        integration_id: integration,
        weight: members.length - i,
      })),
    },
    { signal },
  );
}

/** Schedules messages for the next days; returns their number. */
export async function schedule(
  { client, scene, integration: via, sandbox }: DemoTarget,
  signal: AbortSignal,
): Promise<number> {
  const to = sandbox.people.find(({ only_in_rooms }) => !only_in_rooms)?.address;
  const text = scene.reminder;
  if (to === undefined) return 0;
  for (let day = 1; day <= SCHEDULED; day++) {
    const sendAt = new Date(Date.now() + day * DAY_MS);
    await client.messages.send({ to, via, text, sendAt }, { signal });
  }
  return SCHEDULED;
}
