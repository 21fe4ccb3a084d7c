/*
 * Formats of credentials, so that a form can point out a wrong one before it asks the vendor. A value that does not
 * match is still accepted: vendors change their formats.
 */

export interface CredentialFormat {
  /** Linear in time, without flags. */
  pattern: RegExp;
  /** What a value looks like, in one sentence. */
  hint: string;
}

export const SERVER_URL: CredentialFormat = {
  pattern: /^https?:\/\/[^\s/?#]+(?:[/?#]\S*)?$/,
  hint: 'URLs start with https:// or http://.',
};

export const SERVER_ADDRESS: CredentialFormat = {
  pattern: /^(?:[^\s:/[\]]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?(?:\+tls)?$/,
  hint: 'Servers look like chat.example.org:6697+tls.',
};

export const EMAIL_ADDRESS: CredentialFormat = {
  pattern: /^[^\s@]+@[^\s@]+$/,
  hint: 'Addresses look like name@example.org.',
};

export const PRIVATE_KEY: CredentialFormat = {
  pattern: /^-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  hint: 'Private keys start with -----BEGIN PRIVATE KEY-----.',
};

export const META_APP_SECRET: CredentialFormat = {
  pattern: /^[\da-f]{32}$/,
  hint: 'App secrets have 32 hexadecimal digits.',
};

export const DIGITS: CredentialFormat = {
  pattern: /^\d+$/,
  hint: 'This is a number, all digits.',
};

export const UUID: CredentialFormat = {
  pattern: /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/,
  hint: 'IDs look like 01234567-89ab-cdef-0123-456789abcdef.',
};
