import { createWriteStream } from 'node:fs';
import { stdout } from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

import type { Contact, ContactUpdate, NewAddress } from '../../../../sdk/src/index.ts';
import { type Confirmation, confirm } from '../../confirmation.ts';
import { CliError, EXIT } from '../../exit.ts';
import { print, printTable } from '../../print.ts';
import { type RemoteOptions, connectApplication, readId } from '../connection.ts';
import { printJson, visible } from '../format.ts';

export interface ContactsOptions extends RemoteOptions {
  search?: string;
  externalId?: string;
  limit: number;
}

export interface ContactOptions extends RemoteOptions {
  name?: string;
  externalId?: string;
  locale?: string;
  timezone?: string;
  field?: string[];
  address?: string[];
}

const ERASURE_POLL_MS = 500;

export async function listContacts(options: ContactsOptions): Promise<void> {
  const { search, externalId, limit, json } = options;
  const client = await connectApplication(options);
  const query = {
    limit: Math.min(limit, 1000),
    ...(search && { search }),
    ...(externalId && { external_id: externalId }),
  };
  const contacts = await client.contacts.list(query).first(limit);
  if (json) return printJson(contacts);
  printTable(contacts.map(rowOf), false);
}

export async function showContact(id: string, options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const contact = await client.contacts.get(readId(id, 'contact'));
  if (options.json) return printJson(contact);
  show(contact);
}

export async function createContact(options: ContactOptions): Promise<void> {
  const addresses = (options.address ?? []).map(readAddress);
  const fields = fieldsIn(options);
  const client = await connectApplication(options);
  const contact = await client.contacts.create({ ...fields, addresses });
  if (options.json) return printJson(contact);
  print(`Contact ${contact.id} created.`);
}

export async function updateContact(id: string, options: ContactOptions): Promise<void> {
  const contactId = readId(id, 'contact');
  const addresses = (options.address ?? []).map(readAddress);
  const fields = fieldsIn(options);
  if (Object.keys(fields).length === 0 && addresses.length === 0) {
    throw new CliError('nothing to change: give a field or an --address', EXIT.usage);
  }
  const client = await connectApplication(options);
  if (Object.keys(fields).length > 0) await client.contacts.update(contactId, fields);
  for (const address of addresses) await client.contacts.addAddress(contactId, address);
  const contact = await client.contacts.get(contactId);
  if (options.json) return printJson(contact);
  show(contact);
}

export async function deleteContact(id: string, options: RemoteOptions): Promise<void> {
  const contactId = readId(id, 'contact');
  const client = await connectApplication(options);
  await client.contacts.delete(contactId);
  if (options.json) return printJson({ id: contactId, deleted: true });
  print(`Contact ${contactId} deleted.`);
}

/** The file may be large: it is written as it arrives. */
export async function exportContact(
  id: string,
  file: string | undefined,
  options: RemoteOptions,
): Promise<void> {
  const client = await connectApplication(options);
  const { body } = await client.contacts.exportFile(readId(id, 'contact'));
  if (!body) throw new CliError('the server sent no file', EXIT.failed);
  const toFile = file !== undefined && file !== '-';
  let last = '';
  async function* keepingEnd(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      last = (last + piece.toString('latin1')).slice(-END_LENGTH);
      yield piece;
    }
  }
  const target = toFile ? createWriteStream(file, { mode: 0o600 }) : stdout;
  await pipeline(Readable.fromWeb(body), keepingEnd, target, { end: toFile });
  if (!END.test(last)) throw new CliError('the file is incomplete', EXIT.failed);
}

/** The last line of a complete export. */
const END = /\{"kind":"end","data":\{"lines":\d+\}\}\n$/;
const END_LENGTH = 100;

export async function eraseContact(
  id: string,
  options: RemoteOptions & Confirmation,
): Promise<void> {
  const contactId = readId(id, 'contact');
  const client = await connectApplication(options);
  if (!options.yes) {
    const { name } = await client.contacts.get(contactId);
    const who = visible(name ?? `contact ${contactId}`);
    await confirm(options, `Erase everything about ${who}?`, contactId);
  }
  let erasure = await client.contacts.erase(contactId);
  while (erasure.state === 'running') {
    await pause(ERASURE_POLL_MS);
    erasure = await client.contacts.erasure(contactId);
  }
  if (options.json) return printJson(erasure);
  const { messages, events } = erasure;
  print(`Contact ${contactId} erased, with ${messages} messages and ${events} events.`);
}

/** Empty values clear a field. */
function fieldsIn(options: ContactOptions): ContactUpdate {
  const { name, externalId, locale, timezone, field } = options;
  const values = { name, external_id: externalId, locale, timezone };
  return {
    ...Object.fromEntries(
      Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value === '' ? null : value]],
      ),
    ),
    ...(field && { fields: readFields(field) }),
  };
}

function readFields(texts: readonly string[]): Record<string, string> {
  const fields = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    if (at < 1) throw new CliError(`--field ${text}: expected name=value`, EXIT.usage);
    const name = text.slice(0, at);
    if (fields.has(name)) {
      throw new CliError(`--field ${name}: given more than once`, EXIT.usage);
    }
    fields.set(name, text.slice(at + 1));
  }
  return Object.fromEntries(fields);
}

function readAddress(text: string): NewAddress {
  const at = text.indexOf(':');
  if (at < 1) {
    throw new CliError(`--address ${text}: expected channel:address`, EXIT.usage);
  }
  return { channel: text.slice(0, at), address: text.slice(at + 1) };
}

const rowOf = ({ id, name, external_id, addresses }: Contact) => ({
  id,
  name: visible(name ?? ''),
  external_id: visible(external_id ?? ''),
  addresses: visible(addresses.map(({ channel, address }) => `${channel}:${address}`).join(', ')),
});

function show(contact: Contact): void {
  const { addresses, locale, timezone, fields } = contact;
  const { id, name, external_id } = rowOf(contact);
  const customFields = Object.entries(fields).map(([key, value]) => `${key}=${String(value)}`);
  printTable(
    [
      {
        id,
        name,
        external_id,
        locale: locale ?? '',
        timezone: timezone ?? '',
        fields: visible(customFields.join(', ')),
      },
    ],
    false,
  );
  print('');
  printTable(
    addresses.map(({ id: addressId, channel, address, preference, state, evidence }) => ({
      id: addressId,
      channel,
      address: visible(address),
      preference,
      state,
      evidence,
    })),
    false,
  );
}
