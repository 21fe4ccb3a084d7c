import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';

import type { Channel, CredentialTrial } from '../../../../sdk/src/index.ts';
import { newWebhookSecret } from '../../../lib/crypto/standard-webhooks.ts';
import { CliError, EXIT } from '../../exit.ts';

/* Credentials on the command line: `--field name=value`, and for secrets `--field name=@FILE` or `--field name=-`. */

export type Field = Channel['credentials'][number];
export type Credentials = Partial<Record<Field['name'], string>>;

/** Longer than any credential; private keys have a few thousand characters. */
const MAX_LENGTH = 65_536;

/** Parses the flags. Other users of the machine can read a command line, so it never contains a secret. */
export async function readFields(channel: Channel, texts: readonly string[]): Promise<Credentials> {
  const credentials: Credentials = {};
  let isInputRead = false;
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = text.slice(0, at).trim();
    const value = text.slice(at + 1);
    if (at < 1) throw usageError(text, 'expected name=value');
    const field = channel.credentials.find((one) => one.name === name);
    if (!field) throw usageError(name, unknownField(channel));
    if (credentials[field.name] !== undefined) throw usageError(name, 'given more than once');
    if (field.secret && value === '-') {
      if (isInputRead) throw usageError(name, 'only one field can be read from standard input');
      isInputRead = true;
    }
    credentials[field.name] = field.secret ? await readSecretValue(name, value) : value;
  }
  return credentials;
}

/** The missing fields of the credential set that misses the fewest; empty if one set is complete. */
export function missingIn({ needs }: Channel, credentials: CredentialTrial): string[] {
  const isGiven = (name: string) => Object.entries(credentials).some(([key]) => key === name);
  const missing = needs.map((set) => set.filter((name) => !isGiven(name)));
  return missing.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** A random value in the form that the channel asks for. */
export function generate(form: NonNullable<Field['generate']>): string {
  return form === 'whsec' ? newWebhookSecret() : randomBytes(16).toString('hex');
}

async function readSecretValue(name: string, value: string): Promise<string> {
  const secret = value === '-' ? await readAll(process.stdin) : readSecretFile(name, value);
  const trimmed = secret.replace(/\r?\n$/, '');
  if (trimmed === '') throw usageError(name, 'the value is empty');
  if (trimmed.length > MAX_LENGTH) throw usageError(name, `longer than ${MAX_LENGTH} characters`);
  return trimmed;
}

function readSecretFile(name: string, value: string): string {
  if (!value.startsWith('@')) {
    throw usageError(name, `a secret: give ${name}=@FILE, or ${name}=- for standard input`);
  }
  try {
    return readFileSync(value.slice(1), 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw usageError(name, `cannot read ${value.slice(1)}: ${code}`);
  }
}

function unknownField({ title, name, credentials }: Channel): string {
  const names = credentials.map((field) => field.name).join(', ');
  if (names === '') return `${title} has no fields`;
  return `not a field of ${title}; "channels ${name}" describes its fields: ${names}`;
}

function usageError(name: string, detail: string): CliError {
  return new CliError(`--field ${name}: ${detail}`, EXIT.usage);
}
