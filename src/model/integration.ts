import type { Id } from './id.ts';
import type { State } from './state.ts';
import type { Millis } from './timestamp.ts';

/** The strings that an integration may hold for its channel; each channel says what they mean. */
export const CREDENTIALS = [
  'token',
  'secret',
  'refresh',
  'username',
  'address',
  'consumer_key',
  'consumer_secret',
] as const;

/** What an application's own webhook is called among its integrations, where nobody sees it. */
export const ENDPOINT = 'events';

export type CredentialName = (typeof CREDENTIALS)[number];
export type Credentials = Partial<Record<CredentialName, string>>;

export interface Integration {
  id: Id;
  applicationId: Id;
  /** The channel, as the catalogue writes it. */
  name: string;
  state: State;
  credentials: Credentials;
  createdAt: Millis;
  updatedAt: Millis;
}

/** What routing a message needs to know of an integration: no credential, only which ones it has. */
export interface IntegrationOutline {
  id: Id;
  name: string;
  state: State;
  supplied: readonly CredentialName[];
}
