import type { Id } from './id.ts';
import type { MessageOptions } from './sending/instructions.ts';
import type { State } from './state.ts';
import type { Millis } from './timestamp.ts';

/** Names of the credentials that an integration may have. Each channel defines their meaning. */
export const CREDENTIALS = [
  'token',
  'secret',
  'refresh',
  'username',
  'address',
  'consumer_key',
  'consumer_secret',
] as const;

/** Channel name of the hidden integration that delivers an application's own webhook. */
export const ENDPOINT = 'events';

export type CredentialName = (typeof CREDENTIALS)[number];
export type Credentials = Partial<Record<CredentialName, string>>;

/** `sandbox`: a built-in simulator takes the place of the vendor, and nothing leaves the machine. */
export const INTEGRATION_MODES = ['live', 'sandbox'] as const;

export type IntegrationMode = (typeof INTEGRATION_MODES)[number];

export interface Integration {
  id: Id;
  applicationId: Id;
  /** The channel name, as in the catalog. */
  name: string;
  state: State;
  mode: IntegrationMode;
  /** The name that people gave it. */
  label: string | null;
  /** The account that the last passed check found, such as `@example_bot`. */
  account: string | null;
  credentials: Credentials;
  /** Defaults of the channel's options. */
  options: MessageOptions;
  createdAt: Millis;
  updatedAt: Millis;
}

/** The fields that routing needs: which credentials exist, but not their values. */
export interface IntegrationOutline {
  id: Id;
  name: string;
  state: State;
  mode: IntegrationMode;
  supplied: readonly CredentialName[];
  options: MessageOptions;
}
