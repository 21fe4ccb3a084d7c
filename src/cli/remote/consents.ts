import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

import type { Consent, NewConsent } from '../../../sdk/src/index.ts';
import { CliError, EXIT } from '../exit.ts';
import { sizeOf, utf8Decoder } from '../files.ts';
import { print, printTable } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { printJson, visible } from './format.ts';

export interface ConsentsOptions extends RemoteOptions {
  family?: string;
  address?: string;
  limit: number;
}

export interface SetConsentOptions extends RemoteOptions {
  scope?: string;
  evidence?: string;
}

export type Format = 'csv' | 'ndjson';

/** Lists consents, newest first, or those of one address. */
export async function listConsents(options: ConsentsOptions): Promise<void> {
  const { family, address, limit, json } = options;
  if (family !== undefined && address === undefined) {
    throw new CliError('--family needs --address', EXIT.usage);
  }
  const filter = { ...(family && { family }), ...(address && { address }) };
  const client = await connectApplication(options);
  const consents = await client.consents
    .list({ limit: Math.min(limit, 1000), ...filter })
    .first(limit);
  if (json) return printJson(consents);
  printTable(consents.map(rowOf), false);
}

/** Shows a consent with every change of its address. */
export async function showConsent(id: string, options: RemoteOptions): Promise<void> {
  const client = await connectApplication(options);
  const { history, ...consent } = await client.consents.get(readId(id, 'consent'));
  if (options.json) return printJson({ ...consent, history });
  printTable([rowOf(consent)], false);
  print('');
  printTable(
    history.map(({ at, scope, state, source, evidence }) => ({
      at,
      scope,
      state,
      source,
      proof: visible(evidence ?? ''),
    })),
    false,
  );
}

/** Records what a person allows. */
export async function setConsent(
  state: string,
  family: string,
  address: string,
  { scope = 'all', evidence, ...options }: SetConsentOptions,
): Promise<void> {
  if (scope !== 'all' && scope !== 'marketing') {
    throw new CliError('--scope must be all or marketing', EXIT.usage);
  }
  if (state !== 'granted' && state !== 'revoked') {
    throw new CliError('the state must be granted or revoked', EXIT.usage);
  }
  const fields: NewConsent = { family, address, scope, state, ...(evidence && { evidence }) };
  const client = await connectApplication(options);
  const consent = await client.consents.set(fields);
  if (options.json) return printJson(consent);
  print(`Consent of ${visible(consent.address)} to ${scope} messages: ${state}.`);
}

/** Imports a file, or standard input. Exits with an error if lines were skipped. */
export async function importConsents(
  file: string | undefined,
  options: RemoteOptions & { format?: string },
): Promise<void> {
  const format = formatOf(options.format, file);
  const content = await readContent(file);
  const client = await connectApplication(options);
  const result = await client.consents.importFile(content, format);
  if (options.json) printJson(result);
  else {
    print(`${result.imported} imported, ${result.changed} changed, ${result.failed} skipped.`);
    for (const { line, detail } of result.errors) print(visible(`Line ${line}: ${detail}`));
  }
  if (result.failed > 0) throw new CliError('some lines were skipped', EXIT.failed);
}

async function readContent(file = '-'): Promise<string> {
  const isInput = file === '-';
  if (!isInput) await sizeOf(file);
  const decode = utf8Decoder();
  return decode(isInput ? await buffer(process.stdin) : await readFile(file)) + decode();
}

/** Exports all consents to a file, or to standard output. */
export async function exportConsents(
  file: string | undefined,
  options: RemoteOptions & { format?: string },
): Promise<void> {
  const client = await connectApplication(options);
  const response = await client.consents.exportFile(formatOf(options.format, file));
  const content = await response.text();
  if (file === undefined || file === '-') process.stdout.write(content);
  else await writeFile(file, content, { mode: 0o600 });
}

/** The requested format, or that of the file's name; CSV otherwise. */
export function formatOf(requested: string | undefined, file = ''): Format {
  const format = requested ?? (/\.(?:nd)?jsonl?$/i.test(file) ? 'ndjson' : 'csv');
  if (format === 'csv' || format === 'ndjson') return format;
  throw new CliError('--format must be csv or ndjson', EXIT.usage);
}

const rowOf = ({ id, family, address, scope, state, source, updated_at, evidence }: Consent) => ({
  id,
  family,
  address: visible(address),
  scope,
  state,
  source,
  updated: updated_at,
  proof: visible(evidence ?? ''),
});
