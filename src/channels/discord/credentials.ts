import type { CredentialField } from '../channel.ts';
import { DIGITS } from '../credential-formats.ts';

export const DISCORD_CREDENTIALS: readonly CredentialField[] = [
  {
    name: 'token',
    label: 'Bot token',
    help: 'At discord.com/developers/applications, choose your application, then Bot > Reset Token.',
    secret: true,
    format: {
      pattern: /^[\w-]+\.[\w-]+\.[\w-]+$/,
      hint: 'Bot tokens have three parts, separated by dots.',
    },
  },
  {
    name: 'consumer_key',
    label: 'Application ID',
    help: 'At discord.com/developers/applications, choose your application, then General Information > Application ID.',
    secret: false,
    format: DIGITS,
  },
  {
    name: 'secret',
    label: 'Public key',
    help: 'At discord.com/developers/applications, choose your application, then General Information > Public Key (64 hexadecimal digits). Verifies webhook requests from Discord.',
    secret: false,
    format: { pattern: /^[\da-f]{64}$/, hint: 'Public keys have 64 hexadecimal digits.' },
    publicBecause: 'a public key only verifies signatures',
  },
];
