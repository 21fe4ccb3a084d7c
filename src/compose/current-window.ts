import { type Channel, missingCredentials } from '../channels/channel.ts';
import { consentAddressOf } from '../channels/consent-address.ts';
import {
  type Conversation,
  type MessageWindow,
  type WindowState,
  windowState,
} from '../channels/window.ts';
import type { CredentialName, IntegrationMode } from '../model/integration.ts';
import { consentKey } from '../model/sending/consent.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';

/** The window for messages to this recipient, if the vendor has one. */
export function windowFor(
  { window }: { window?: MessageWindow },
  recipient: string,
): MessageWindow | undefined {
  return window && (window.appliesTo?.(recipient) ?? true) ? window : undefined;
}

/** One form for each address, whichever way it is written. */
export const windowAddress = (channel: Channel, recipient: string, mode: IntegrationMode) =>
  consentKey(consentAddressOf(channel, recipient, mode));

/** The recipient of a message, and the integration that sends it. */
export interface Addressee {
  recipient: string;
  mode: IntegrationMode;
  /** The names of the credentials that the integration has. */
  supplied: readonly CredentialName[];
  options: MessageOptions;
}

/** Whether the vendor accepts free text now; undefined if it always does. `find` looks up the address. */
export async function currentWindow(
  channel: Channel,
  { recipient, mode, supplied, options }: Addressee,
  find: (
    address: string,
  ) => Promise<Pick<Conversation, 'stored' | 'integrationCreatedAt'> | undefined>,
  now: Millis,
): Promise<WindowState | undefined> {
  const window = windowFor(channel, recipient);
  const known = window && (await find(windowAddress(channel, recipient, mode)));
  if (!window || !known) return undefined;
  const isReceiving =
    mode === 'sandbox' || !channel.hook || missingCredentials(channel.hook, supplied).length === 0;
  return windowState(window, { ...known, isReceiving, options, now });
}
