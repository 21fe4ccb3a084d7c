import type { SandboxMessage } from '../../../sdk/src/index.ts';
import { SANDBOX_FAULT_NAMES } from '../../sandbox/faults.ts';
import { RECEIPT_STATES } from '../../sandbox/shown.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { printJson, visible } from './format.ts';

/* The phones of simulated people. */

export interface PhoneOptions extends RemoteOptions {
  with?: string;
  limit: number;
}

export interface ReplyOptions extends RemoteOptions {
  from?: string;
  room?: string;
  text?: string;
  media?: string;
  place?: string;
  to?: string;
}

export interface MoveOptions extends RemoteOptions {
  from?: string;
  room?: string;
}

export interface FaultOptions extends RemoteOptions {
  to?: string;
  seconds?: number;
  times?: number;
}

const MEDIA = ['Image', 'Audio', 'Video', 'Document'] as const;

export async function showSandbox(id: string, options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const sandbox = await client.sandbox.get(readId(id, 'integration'));
  if (options.json) return printJson(sandbox);
  printTable(
    sandbox.people.map(({ address, name, room, only_in_rooms: isMember, blocked }) => {
      return {
        address,
        name: visible(name),
        room: room ? 'yes' : isMember ? 'member' : '',
        blocked: blocked ? 'yes' : '',
      };
    }),
    false,
  );
  print('');
  printTable(
    sandbox.faults.map(({ name, address = '', text, description }) =>
      text === undefined
        ? { fault: name, address, description }
        : { fault: name, text, description },
    ),
    false,
  );
}

export async function listPhone(id: string, options: PhoneOptions): Promise<void> {
  const client = await connectApplication(options);
  const query = options.with === undefined ? {} : { with: options.with };
  const newest = await client.sandbox
    .messages(readId(id, 'integration'), query)
    .first(options.limit);
  const entries = newest.toReversed();
  if (options.json) return printJson(entries);
  printTable(entries.map(lineOf), false);
}

export async function reply(id: string, options: ReplyOptions): Promise<void> {
  const client = await connectApplication(options);
  const { text, media, place, to } = options;
  const sent = await client.sandbox.reply(readId(id, 'integration'), {
    ...whoOf(options),
    ...(text !== undefined && { text }),
    ...(media !== undefined && { media: { type: oneOf(media, MEDIA, '--media') } }),
    ...(place !== undefined && { place: placeOf(place) }),
    ...(to !== undefined && { reply_to: readId(to, '--to') }),
  });
  printEntry(sent, options);
}

export async function press(
  id: string,
  message: string,
  button: string,
  options: RemoteOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const pressed = /^[1-9]\d?$/.test(button) ? Number(button) : button;
  const given = { message: readId(message, 'message'), button: pressed };
  printEntry(await client.sandbox.press(readId(id, 'integration'), given), options);
}

export async function react(
  id: string,
  message: string,
  emoji: string,
  options: MoveOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const given = { message: readId(message, 'message'), emoji, ...whoOf(options) };
  printEntry(await client.sandbox.react(readId(id, 'integration'), given), options);
}

const ACTIONS = ['join', 'leave', 'block', 'unblock'] as const;

export async function act(id: string, name: string, options: MoveOptions): Promise<void> {
  const action = oneOf(name, ACTIONS, 'action');
  const { sandbox } = await connectApplication(options);
  const [integration, who] = [readId(id, 'integration'), whoOf(options)];
  const entry =
    action === 'join' || action === 'leave'
      ? sandbox[action](integration, who)
      : sandbox.block(integration, { ...who, blocked: action === 'block' });
  printEntry(await entry, options);
}

const whoOf = ({ from, room }: MoveOptions) => ({
  ...(from !== undefined && { from }),
  ...(room !== undefined && { room }),
});

export async function report(
  id: string,
  message: string,
  state: string,
  options: RemoteOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const receipt = {
    message: readId(message, 'message'),
    state: oneOf(state, RECEIPT_STATES, 'state'),
  };
  await client.sandbox.report(readId(id, 'integration'), receipt);
  if (!options.json) print(`Reported as ${state}.`);
}

export async function setFaults(
  id: string,
  names: readonly string[],
  options: FaultOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const { to, seconds, times } = options;
  const behaviours = names.map((name) => ({
    fault: oneOf(name, SANDBOX_FAULT_NAMES, 'fault'),
    ...(to !== undefined && { to }),
    ...(seconds !== undefined && { seconds }),
    ...(times !== undefined && { times }),
  }));
  await client.sandbox.behave(readId(id, 'integration'), behaviours);
  if (!options.json) print(names.length === 0 ? 'Removed all faults.' : `Set ${names.join(', ')}.`);
}

export async function resetSandbox(id: string, options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  await client.sandbox.reset(readId(id, 'integration'));
  if (!options.json) print('Emptied the phones and removed all faults.');
}

function printEntry(message: SandboxMessage, options: RemoteOptions): void {
  if (options.json) printJson(message);
  else printTable([lineOf(message)], false);
}

function lineOf(message: SandboxMessage) {
  const { id, created_at: created, with: address, author, status, buttons = [] } = message;
  const labels = buttons.map(({ label }) => `[${label}]`).join(' ');
  const shown = [contentOf(message), labels].filter(Boolean).join(' ');
  return {
    id,
    created,
    with: visible(address),
    author,
    status: status ?? '',
    shown: visible(shown),
  };
}

function contentOf({ kind, deleted, text = '', media = [], place }: SandboxMessage): string {
  if (deleted) return '(deleted)';
  const files = media.map(({ type, name, url }) => `(${type}: ${name ?? url ?? 'file'})`);
  const where = place ? [`(place: ${place.latitude}, ${place.longitude})`] : [];
  const what = kind === 'message' ? [] : [`(${kind})`];
  return [...what, ...files, ...where, text].filter(Boolean).join(' ');
}

function oneOf<Name extends string>(text: string, names: readonly Name[], what: string): Name {
  const found = names.find((name) => name === text);
  if (found !== undefined) return found;
  throw new CliError(`${what}: expected one of ${names.join(', ')}, not "${text}"`, EXIT.usage);
}

function placeOf(text: string): { latitude: number; longitude: number } {
  const [, latitude, longitude] = /^(-?[\d.]+),(-?[\d.]+)$/.exec(text) ?? [];
  if (latitude === undefined || longitude === undefined) {
    throw new CliError(`--place: expected latitude,longitude, not "${text}"`, EXIT.usage);
  }
  return { latitude: Number(latitude), longitude: Number(longitude) };
}
