import type { Channel, CredentialName } from '../../api/types.ts';

/* Groups a channel's credentials by purpose. */

export type Field = Channel['credentials'][number];

export type Values = Partial<Record<CredentialName, string>>;

/** Null clears a value; absent values stay. */
export type ValueChanges = { [Name in keyof Values]: string | null };

/** Error of an empty required field. */
export const REQUIRED = 'Required.';

interface FieldGroups {
  /** One credential set that is sufficient for sending. */
  send: Field[];
  /** Verifies the vendor's webhook requests. */
  receive: Field[];
  rest: Field[];
}

/** Groups the fields for the selected credential set. */
export function groupsOf(channel: Channel, credentialSet: number): FieldGroups {
  const needed: readonly string[] = channel.needs[credentialSet] ?? [];
  const inOtherSets = new Set(channel.needs.flat().filter((name) => !needed.includes(name)));
  const verifying = new Set(channel.hook?.needs.flat());
  const send = channel.credentials.filter(({ name }) => needed.includes(name));
  const receive = channel.credentials.filter(
    ({ name }) => !needed.includes(name) && verifying.has(name),
  );
  const rest = channel.credentials.filter(
    ({ name }) => !needed.includes(name) && !verifying.has(name) && !inOtherSets.has(name),
  );
  return { send, receive, rest };
}

export function labelsOf({ credentials }: Channel, names: readonly string[]): string[] {
  return names.map((name) => credentials.find((field) => field.name === name)?.label ?? name);
}

/** The credential set with the fewest missing fields. */
export function closestCredentialSet({ needs }: Channel, has: (name: string) => boolean): number {
  const missingCounts = needs.map((set) => set.filter((name) => !has(name)).length);
  return Math.max(0, missingCounts.indexOf(Math.min(...missingCounts)));
}

/** The fields whose values do not match their usual format. */
export function mismatches(channel: Channel, values: ValueChanges): Set<CredentialName> {
  const mismatched = channel.credentials.filter(({ name, pattern }) => {
    const value = values[name]?.trim() ?? '';
    return value !== '' && pattern !== null && !new RegExp(pattern).test(value);
  });
  return new Set(mismatched.map(({ name }) => name));
}

/** The required fields that are empty. */
export function emptyFields(
  channel: Channel,
  credentialSet: number,
  values: Values,
): CredentialName[] {
  const { send } = groupsOf(channel, credentialSet);
  return send.map(({ name }) => name).filter((name) => (values[name]?.trim() ?? '') === '');
}

/** Values of the visible fields, trimmed. */
export function filledFields(channel: Channel, credentialSet: number, values: Values): Values {
  const { send, receive, rest } = groupsOf(channel, credentialSet);
  return Object.fromEntries(
    [...send, ...receive, ...rest].flatMap(({ name }) => {
      const value = values[name]?.trim() ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

/** Moves the focus to a field, and opens what hides it. */
export function focusField(name: string): void {
  const field = document.querySelector(`[data-field="${name}"]`);
  const hidden = field?.closest('details');
  if (hidden) hidden.open = true;
  field?.querySelector<HTMLElement>('input, textarea, select')?.focus();
}

/** A random value in the form that the channel accepts. */
export function randomValue(generate: NonNullable<Field['generate']>): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  if (generate === 'whsec') return `whsec_${btoa(String.fromCodePoint(...bytes))}`;
  return Array.from(bytes.slice(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
