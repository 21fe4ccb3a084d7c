import { createPublicKey, verify } from 'node:crypto';

import { integerMember, listMember, member, textMember } from '../../lib/json/json-member.ts';
import { omitUndefined } from '../../lib/json/omit-undefined.ts';
import { NOTHING, ignored } from '../inbound.ts';
import { momentOf, partyOf, placeOf } from './people.ts';

/*
 * Discord's webhook requests: button presses and commands, and events about the application.
 * https://docs.discord.com/developers/interactions/receiving-and-responding
 * https://docs.discord.com/developers/events/webhook-events
 */

interface Call {
  header(name: string): string | undefined;
  body: Buffer;
}

/** Discord documents no limit; interactions must be answered within seconds. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 300;

/** Why a request is not Discord's. */
export function faultOfDiscordRequest(
  { header, body }: Call,
  publicKey: string | undefined,
  now: number,
): string | undefined {
  if (!/^[\da-f]{64}$/i.test(publicKey ?? '')) return 'the integration has no public key';
  const signature = header('x-signature-ed25519') ?? '';
  const at = header('x-signature-timestamp') ?? '';
  if (!/^[\da-f]{128}$/i.test(signature)) return 'signature missing';
  if (!/^\d{1,12}$/.test(at)) return 'timestamp missing';
  if (Math.abs(now / 1000 - Number(at)) > MAX_CLOCK_DIFFERENCE_SECONDS)
    return 'timestamp outside the tolerance';
  const x = Buffer.from(publicKey ?? '', 'hex').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.concat([Buffer.from(at), body]);
  return verify(undefined, signed, key, Buffer.from(signature, 'hex'))
    ? undefined
    : 'the signature does not match';
}

/** Events have a version, interactions have ids. */
const isEvent = (call: unknown) => member(call, 'event') !== undefined || typeOf(call) === '0';

const typeOf = (call: unknown) => integerMember(call, 'type');

const [PING, COMMAND, COMPONENT, AUTOCOMPLETE] = ['1', '2', '3', '4'] as const;

/** Parses a webhook request; undefined when it is malformed. */
export function readDiscordCall(json: unknown) {
  if (typeOf(json) === undefined) return undefined;
  if (!isEvent(json)) return readInteraction(json);
  const event = textMember(json, 'event', 'type');
  return event === undefined ? [NOTHING] : ignored(event, 'no_event');
}

export function readInteraction(interaction: unknown) {
  const type = typeOf(interaction);
  if (type === PING) return [NOTHING];
  const kind = `interaction.${type ?? ''}`;
  if (type !== COMMAND && type !== COMPONENT) return ignored(kind, 'no_event');
  const id = textMember(interaction, 'id');
  const place = placeOf(interaction);
  const from = partyOf(member(interaction, 'member', 'user') ?? member(interaction, 'user'));
  if (id === undefined || !place || !from) return ignored(kind, 'incomplete');
  const common = { what: 'message' as const, key: `interaction:${id}`, from, ...place };
  const at = omitUndefined({ at: momentOf(id) });
  const data = member(interaction, 'data');
  if (type === COMMAND && integerMember(data, 'type') === '1') {
    return [{ ...common, ...at, text: commandText(data) }];
  }
  const button = type === COMPONENT ? buttonOf(data, member(interaction, 'message')) : undefined;
  if (!button) return ignored(kind, 'no_content');
  const message = textMember(interaction, 'message', 'id');
  const replyTo = message === undefined ? undefined : `${place.answerTo}:${message}`;
  return [{ ...common, ...at, button, ...omitUndefined({ replyTo }) }];
}

/** `/weather city:London`, as the user typed it. */
function commandText(data: unknown): string {
  return [
    `/${textMember(data, 'name') ?? ''}`,
    ...listMember(data, 'options').map(optionText),
  ].join(' ');
}

/** A subcommand has options instead of a value. */
function optionText(option: unknown): string {
  const name = textMember(option, 'name') ?? '';
  const value = member(option, 'value');
  if (typeof value === 'string') return `${name}:${value}`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${name}:${value}`;
  return [name, ...listMember(option, 'options').map(optionText)].join(' ');
}

/** Our ids begin with a number, so that two buttons with the same value have different ids. */
function buttonOf(data: unknown, message: unknown) {
  const id = textMember(data, 'custom_id');
  if (id === undefined) return undefined;
  const [chosen] = listMember(data, 'values');
  const value = typeof chosen === 'string' ? chosen : id.replace(/^\d{1,2}:/, '');
  return { name: labelOf(member(message, 'components'), id) ?? value, value };
}

/** The label of the button with that id, at any depth. */
function labelOf(components: unknown, id: string): string | undefined {
  for (const component of listMember({ components }, 'components')) {
    const isMatch = textMember(component, 'custom_id') === id;
    const inside = member(component, 'components');
    const label = isMatch ? textMember(component, 'label') : labelOf(inside, id);
    if (label !== undefined) return label;
  }
  return undefined;
}

const EPHEMERAL = 1 << 6;

/** The required response to an interaction; without it, Discord shows the interaction as failed. */
export function answerToInteraction(interaction: unknown): object {
  const type = typeOf(interaction);
  if (type === PING) return { type: 1 };
  // Confirms the command, visible only to the user who gave it.
  if (type === COMMAND) return { type: 4, data: { content: '✓', flags: EPHEMERAL } };
  return type === AUTOCOMPLETE ? { type: 8, data: { choices: [] } } : { type: 6 };
}

export function answerToDiscord(json: unknown): { status?: number; text?: string; type?: string } {
  if (isEvent(json)) return { status: 204 };
  return { text: JSON.stringify(answerToInteraction(json)), type: 'application/json' };
}
