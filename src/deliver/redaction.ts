import type { Channel } from '../channels/channel.ts';
import type { Credentials } from '../model/integration.ts';

export const MASK = '***';

/** The text of an attempt whose integration has a secret too short to mask. */
export const BLANK = '[hidden: the integration has a secret of fewer than 4 characters]';

/** Masking a shorter secret would riddle any text with masks, and the gaps would spell the secret. */
const MIN_MASKED_LENGTH = 4;

/** Takes the secrets of an integration out of a text, however they may be written in it. */
export function redactor(channel: Channel, credentials: Credentials): (text: string) => string {
  const secrets = channel.credentials
    .filter((field) => field.secret)
    .flatMap(({ name }) => credentials[name] || []);
  if (secrets.some(isTooShort)) return blank;
  const username = credentials.username ?? '';
  const forms = new Set(
    secrets.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams({ '': secret }).toString().slice(1),
      JSON.stringify(secret).slice(1, -1),
      base64(secret),
      base64(`${username}:${secret}`),
      base64(`\0${username}\0${secret}`),
    ]),
  );
  // The longest first, since one form may hold another.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, MASK), text);
}

/** Masks secrets that a channel was given by its vendor while it sent. */
export function maskAll(text: string, secrets: readonly string[]): string {
  if (secrets.some(isTooShort)) return blank(text);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

const isTooShort = (secret: string) => secret.length < MIN_MASKED_LENGTH;
const blank = (text: string) => (text === '' ? '' : BLANK);

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
