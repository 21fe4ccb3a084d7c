import type { Channel } from '../../channels/channel.ts';
import type { Credentials } from '../../model/integration.ts';

const MASK = '***';

/** Replaces every text of an integration that has a secret too short to mask. */
export const BLANK = '[hidden: the integration has a secret of fewer than 4 characters]';

/** Masks of a shorter secret would appear all over a text and reveal the secret by their positions. */
const MIN_MASKED_LENGTH = 4;

/** Returns a function that masks the integration's secrets in a text, also in encoded form. */
export function redactor(channel: Channel, credentials: Credentials): (text: string) => string {
  const secrets = channel.credentials
    .filter((field) => field.secret)
    .flatMap(({ name }) => credentials[name] || []);
  if (secrets.some(isTooShort)) return blank;
  const username = credentials.username ?? '';
  const encodings = new Set(
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
  // Longest first, because one form may contain another.
  const ordered = [...encodings].toSorted((a, b) => b.length - a.length);
  return (text) => ordered.reduce((rest, form) => rest.replaceAll(form, MASK), text);
}

/** Masks secrets that a channel obtained from its vendor during the attempt. */
export function maskAll(text: string, secrets: readonly string[]): string {
  if (secrets.some(isTooShort)) return blank(text);
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

const isTooShort = (secret: string) => secret.length < MIN_MASKED_LENGTH;
const blank = (text: string) => (text === '' ? '' : BLANK);

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
