import type {
  Channel,
  Content,
  Outgoing,
  Sandbox,
  SandboxMessage,
  Switchboard,
} from '../../../../sdk/src/index.ts';
import type { Scene, Turn } from './scenes.ts';

/* Fills the sandbox integrations of the demo, through the public API. */

/** A sandbox integration that the demo fills. */
export interface DemoTarget {
  /** Acts for its application. */
  client: Switchboard;
  scene: Scene;
  channel: Channel;
  integration: number;
  sandbox: Sandbox;
  /** Its position in the demo, by which it differs from the others. */
  number: number;
}

/** Messages without an answer, per integration. */
const TRAFFIC_MESSAGES = 12;
/** Messages that wait for the end of an outage. */
const WAITING_MESSAGES = 4;
const FIRST_ORDER = 1044;
const PLACE = { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburg Gate' };

/** Messages that nobody answers. */
export function trafficOf({ scene, integration: via, sandbox, number }: DemoTarget): Outgoing[] {
  const people = recipientsIn(sandbox);
  return Array.from({ length: TRAFFIC_MESSAGES }, (_, i): Outgoing[] => {
    const to = people[i % people.length];
    const content = scene.traffic[i % scene.traffic.length];
    if (!to || !content) return [];
    return [
      { ...numbered(content, FIRST_ORDER + number * TRAFFIC_MESSAGES + i), to: to.address, via },
    ];
  }).flat();
}

/** Messages that meet a fault. Each integration gets every second fault of its scene. */
export function failuresOf({ scene, integration: via, sandbox, number }: DemoTarget): Outgoing[] {
  const first = recipientsIn(sandbox)[0]?.address;
  return scene.faults.flatMap((name, i): Outgoing[] => {
    if ((i + number) % 2 === 1) return [];
    const fault = sandbox.faults.find((each) => each.name === name);
    const content = scene.traffic[i % scene.traffic.length];
    const to = fault?.address ?? first;
    if (!fault || !content || to === undefined) return [];
    // On channels without addresses, a text triggers the fault.
    if (fault.text !== undefined) return [{ text: fault.text, to, via }];
    return [{ ...numbered(content, FIRST_ORDER + number), to, via }];
  });
}

/** Gives the vendor an outage, so that some messages wait and the integration is unhealthy. */
export async function breakDown(target: DemoTarget, signal: AbortSignal): Promise<number> {
  const { client, integration } = target;
  await client.sandbox.behave(integration, [{ fault: 'unavailable' }], { signal });
  const accepted = await client.messages.sendAll(trafficOf(target).slice(0, WAITING_MESSAGES), {
    signal,
  });
  return accepted.length;
}

/** People and rooms that can be written to. */
const recipientsIn = ({ people }: Sandbox) => people.filter((each) => !each.only_in_rooms);

/** Plays a conversation with one person, until it ends or time is up. */
export async function converse(target: DemoTarget, signal: AbortSignal): Promise<void> {
  const { scene, sandbox, number } = target;
  const turns = scene.conversations[number % scene.conversations.length] ?? [];
  const persons = sandbox.people.filter(({ room }) => !room);
  const person = persons[number % persons.length];
  if (!person) return;
  // Some people can be reached in a room only.
  const { address } = (person.only_in_rooms ? recipientsIn(sandbox)[0] : undefined) ?? person;
  const isRoom = address !== person.address;
  const who = { from: person.address, ...(isRoom && { room: address }) };
  for (const turn of turns) await play(target, address, who, turn, signal);
}

async function play(
  { client, channel, integration, sandbox }: DemoTarget,
  address: string,
  who: { from: string; room?: string },
  turn: Turn,
  signal: AbortSignal,
): Promise<void> {
  const can = (action: Sandbox['actions'][number]) => sandbox.actions.includes(action);
  if ('app' in turn) {
    const { id } = await client.messages.send({ ...turn.app, to: address, via: integration });
    await client.messages.settled(id, { signal });
    return;
  }
  if ('person' in turn) {
    if (!can('message')) return;
    const { text, media, place } = turn.person;
    if (media && !channel.can[media === 'Image' ? 'image' : 'audio']) return;
    if (place && !channel.can.place) return;
    await client.sandbox.reply(integration, {
      ...who,
      ...(text !== undefined && { text }),
      ...(media && { media: { type: media } }),
      ...(place && { place: PLACE }),
    });
    return;
  }
  const shown = await lastShown(client, integration, address);
  if ('react' in turn) {
    if (!shown || !can('react')) return;
    await client.sandbox.react(integration, { ...who, message: shown.id, emoji: turn.react });
    return;
  }
  const label = shown?.buttons?.find((each) => each.label === turn.press)?.label;
  if (shown && label !== undefined && can('press')) {
    await client.sandbox.press(integration, { ...who, message: shown.id, button: label });
  } else if (can('message')) {
    await client.sandbox.reply(integration, { ...who, text: turn.press });
  }
}

/** The newest message of the application on a phone. */
async function lastShown(
  client: Switchboard,
  integration: number,
  address: string,
): Promise<SandboxMessage | undefined> {
  const shown = await client.sandbox.messages(integration, { with: address, limit: 10 }).first(10);
  return shown.find(({ author, deleted }) => author === 'application' && !deleted);
}

function numbered(content: Content, n: number): Content {
  const fill = (text: string) => text.replaceAll('{n}', String(n));
  const { text, markdown, title, ...rest } = content;
  return {
    ...rest,
    ...(text !== undefined && { text: fill(text) }),
    ...(markdown !== undefined && { markdown: fill(markdown) }),
    ...(title !== undefined && { title: fill(title) }),
  };
}
