import { member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { type InboundEvent, type Party, ignored } from '../inbound.ts';

/*
 * WhatsApp users and their ids. A user has a phone number, which may be hidden, a business-scoped user id, which is
 * always present and changes with the number, and one for the parent business, if there is one.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids, as of 28 May
 * 2026
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/changelog, as of 11 August 2026
 */

/** A user with all addresses, the number first; undefined without any. */
function partyOf(
  addresses: readonly (string | undefined)[],
  contacts: readonly unknown[],
): Party | undefined {
  const usable = [...new Set(addresses.flatMap((each) => each || []))];
  const [id, ...otherAddresses] = usable;
  if (id === undefined) return undefined;
  const contact = contacts.find((each) =>
    ['wa_id', 'user_id', 'parent_user_id'].some((key) =>
      usable.includes(textMember(each, key) ?? ''),
    ),
  );
  const profile = member(contact, 'profile');
  const name = textMember(profile, 'name') || textMember(profile, 'username') || undefined;
  return { id, ...omitUndefined({ name }), otherAddresses };
}

const idsOf = (value: unknown) =>
  ['wa_id', 'user_id', 'parent_user_id'].map((key) => textMember(value, key));

export function writerOf(message: unknown, contacts: readonly unknown[]): Party | undefined {
  const ids = ['from', 'from_user_id', 'from_parent_user_id'];
  return partyOf(
    ids.map((key) => textMember(message, key)),
    contacts,
  );
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages/system */
export function readSystem(message: unknown, key: string, at: number | undefined): InboundEvent[] {
  const system = member(message, 'system');
  const type = textMember(system, 'type') ?? '';
  if (!CHANGES.has(type)) return ignored(`system.${type}`, 'no_event');
  const before = ['previous_user_id', 'previous_parent_user_id'];
  const previous = [textMember(message, 'from'), ...before.map((each) => textMember(system, each))];
  // The format until 2022.
  const current = [textMember(system, 'new_wa_id'), ...idsOf(system)];
  return contactEvent(`system.${type}`, previous, current, key, at);
}

const CHANGES = new Set(['user_changed_number', 'user_changed_user_id', 'customer_changed_number']);

/** Sent until August 2026; a system message reports the same. */
export function readUserId(update: unknown, at: number | undefined): InboundEvent[] {
  const idsIn = (which: 'previous' | 'current') =>
    ['user_id', 'parent_user_id'].map((key) => textMember(update, key, which));
  const number = textMember(update, 'wa_id');
  return contactEvent('user_id_update', idsIn('previous'), [number, ...idsIn('current')], '', at);
}

function contactEvent(
  type: string,
  previous: readonly (string | undefined)[],
  current: readonly (string | undefined)[],
  key: string,
  at: number | undefined,
): InboundEvent[] {
  const [from, to] = [partyOf(previous, []), partyOf(current, [])];
  if (!from || !to) return ignored(type, 'incomplete');
  // Both reports of the same change have only the ids in common.
  const [before, after] = [previous.at(-2), current.at(-2)];
  const pair = before && after ? `${before}:${after}` : undefined;
  return [
    {
      what: 'contact',
      key: pair ?? (key || `${from.id}:${to.id}`),
      from,
      to,
      ...omitUndefined({ at }),
    },
  ];
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/user_preferences */
export function readPreference(
  preference: unknown,
  contacts: readonly unknown[],
  at: number | undefined,
): InboundEvent[] {
  const [category = '', value] = ['category', 'value'].map((key) => textMember(preference, key));
  const from = partyOf(idsOf(preference), contacts);
  if (!from) return ignored('user_preferences', 'incomplete');
  const what = value === 'stop' ? 'opt-out' : value === 'resume' ? 'opt-in' : undefined;
  if (!what) return ignored(`user_preferences.${value ?? ''}`, 'no_event');
  return [
    { what, key: `${from.id}:${category}:${at ?? ''}`, from, category, ...omitUndefined({ at }) },
  ];
}
