import { findChannel } from '../channels/index.ts';
import type { CredentialName, Credentials, Integration } from '../model/integration.ts';
import type { Parameter, Query } from './route.ts';

/* Secrets as a person may see them: enough to tell one from another, too little to use. */

export const MASK: Parameter = {
  name: 'mask',
  description:
    'With `true`, secrets are shown as `••••` and their last four characters, where they are long enough for that.',
  schema: { type: 'string', enum: ['true', 'false'] },
};

const DOTS = '••••';
/** What is shorter is not shown in part. */
const LONG = 16;
const SHOWN = 4;

export const isMasked = ({ mask }: Query): boolean => mask === 'true';

/** The integration without secrets. What its channel does not know of is taken for one. */
export function masked(integration: Integration): Integration {
  const credentials: Credentials = {};
  for (const [name, value] of entriesOf(integration.credentials)) {
    credentials[name] = isOpen(integration.name, name) ? value : hide(value);
  }
  return { ...integration, credentials };
}

/** Whether this is how the secret is shown: whoever sends that back does not want to change it. */
export function isMaskOf(text: string, secret: string | undefined): boolean {
  return secret !== undefined && text.startsWith(DOTS) && text === hide(secret);
}

function hide(value: string): string {
  return value.length < LONG ? DOTS : `${DOTS}${value.slice(-SHOWN)}`;
}

function isOpen(channel: string, name: CredentialName): boolean {
  const fields = findChannel(channel)?.credentials ?? [];
  return fields.some((field) => field.name === name && !field.secret);
}

const entriesOf = (credentials: Credentials) =>
  Object.entries(credentials) as [CredentialName, string][];
