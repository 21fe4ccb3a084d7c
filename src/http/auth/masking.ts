import { findChannel } from '../../channels/index.ts';
import type { CredentialName, Credentials, Integration } from '../../model/integration.ts';
import type { Parameter, Query } from '../server/route.ts';

/* Masked secrets: enough to tell them apart, too little to use. */

export const MASK: Parameter = {
  name: 'mask',
  description:
    'With `true`, secrets are masked as `••••` plus their last four characters, if they are long enough.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const DOTS = '••••';
/** Shorter secrets are masked completely. */
const MIN_PARTIAL_LENGTH = 16;
const VISIBLE_CHARACTERS = 4;

export const isMasked = ({ mask }: Query): boolean => mask === 'true';

/** The integration without secrets. Fields unknown to its channel count as secrets. */
export function masked(integration: Integration): Integration {
  const credentials: Credentials = {};
  for (const [name, value] of entriesOf(integration.credentials)) {
    credentials[name] = isPublic(integration.name, name) ? value : hide(value);
  }
  return { ...integration, credentials };
}

/** Whether the text is the masked form of the secret: sending it back means no change. */
export function isMaskOf(text: string, secret: string | undefined): boolean {
  return secret !== undefined && text.startsWith(DOTS) && text === hide(secret);
}

function hide(value: string): string {
  return value.length < MIN_PARTIAL_LENGTH ? DOTS : `${DOTS}${value.slice(-VISIBLE_CHARACTERS)}`;
}

function isPublic(channel: string, name: CredentialName): boolean {
  const fields = findChannel(channel)?.credentials ?? [];
  return fields.some((field) => field.name === name && !field.secret);
}

const entriesOf = (credentials: Credentials) =>
  Object.entries(credentials) as [CredentialName, string][];
