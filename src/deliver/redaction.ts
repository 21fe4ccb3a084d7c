import type { Channel } from '../channels/channel.ts';
import type { Credentials } from '../model/integration.ts';

export const MASK = '***';

/** Shorter ones are no secrets, and would mask half of any text. */
const SHORTEST = 4;

/** Takes the secrets of an integration out of a text, however they may be written in it. */
export function redactor(channel: Channel, credentials: Credentials): (text: string) => string {
  const secrets = channel.credentials
    .filter((field) => field.secret)
    .flatMap(({ name }) => credentials[name] ?? [])
    .filter((secret) => secret.length >= SHORTEST);
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

const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
