import type { Channel, CredentialName, Integration } from '../api/types.ts';

/* Which credentials of a channel are for what. */

export type Field = Channel['credentials'][number];

export type Values = Partial<Record<CredentialName, string>>;

export interface FieldGroups {
  /** One of the sets of credentials that are enough to send. */
  send: Field[];
  /** What tells a genuine call of the vendor. */
  receive: Field[];
  rest: Field[];
}

/** The fields in groups, for one of the ways to be let in. */
export function groupsOf(channel: Channel, way: number): FieldGroups {
  const needed: readonly string[] = channel.needs[way] ?? [];
  const elsewhere = new Set(channel.needs.flat().filter((name) => !needed.includes(name)));
  const genuine = new Set(channel.hook?.needs.flat());
  const send = channel.credentials.filter(({ name }) => needed.includes(name));
  const receive = channel.credentials.filter(
    ({ name }) => !needed.includes(name) && genuine.has(name),
  );
  const rest = channel.credentials.filter(
    ({ name }) => !needed.includes(name) && !genuine.has(name) && !elsewhere.has(name),
  );
  return { send, receive, rest };
}

/** What a way to be let in is called: by what it takes that others do not. */
export function wayLabel(channel: Channel, way: number): string {
  const others = new Set<string>(channel.needs.filter((_, i) => i !== way).flat());
  const own = (channel.needs[way] ?? []).filter((name) => !others.has(name));
  const shown = own.length > 0 ? own : (channel.needs[way] ?? []);
  return labelsOf(channel, shown).join(', ');
}

export function labelsOf({ credentials }: Channel, names: readonly string[]): string[] {
  return names.map((name) => credentials.find((field) => field.name === name)?.label ?? name);
}

/** The way that lacks the least. */
export function nearestWay({ needs }: Channel, has: (name: string) => boolean): number {
  const lacks = needs.map((set) => set.filter((name) => !has(name)).length);
  return Math.max(0, lacks.indexOf(Math.min(...lacks)));
}

/** What an integration lacks to send, by label. */
export function missingIn(channel: Channel, integration: Integration): string[] {
  const has = (name: string) => name in integration;
  const way = nearestWay(channel, has);
  return labelsOf(
    channel,
    (channel.needs[way] ?? []).filter((name) => !has(name)),
  );
}

/** Whether its value is anything that one makes up, and nobody should be able to guess. */
export const isOfOwnChoice = ({ help, secret }: Field) => secret && help.includes('of your choice');

/** A value for such a field. */
export function madeUp({ help }: Field): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  if (help.startsWith('whsec_')) return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
  return Array.from(bytes.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** How people tell two integrations of one channel apart: by what is no secret of it. */
export function labelOf(integration: Integration): string | undefined {
  return [integration.username, integration.address].find(
    (value) => value !== undefined && !value.startsWith('•'),
  );
}
