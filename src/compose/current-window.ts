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

/** The normalized form of an address, which may be written in several ways. */
export const windowAddress = (channel: Channel, recipient: string, mode: IntegrationMode) =>
  consentKey(consentAddressOf(channel, recipient, mode));

/** The recipient of a message, and the integration that sends it. */
interface Addressee {
  recipient: string;
  mode: IntegrationMode;
  /** The names of the credentials that the integration has. */
  supplied: readonly CredentialName[];
  options: MessageOptions;
}

type KnownConversation = Pick<Conversation, 'stored' | 'integrationCreatedAt'>;

/** Looks up addresses; `recall` answers from earlier lookups, which later messages of the person may have outdated. */
interface WindowLookup {
  find(address: string): Promise<KnownConversation | undefined>;
  recall(address: string): KnownConversation | undefined;
}

/**
 * Whether the vendor accepts no free text now. Windows are never shortened: if an earlier lookup found one that is
 * still open, no new lookup is needed.
 */
export function isWindowClosed(
  channel: Channel,
  { recipient, mode, supplied, options }: Addressee,
  { find, recall }: WindowLookup,
  now: Millis,
): boolean | Promise<boolean> {
  const window = windowFor(channel, recipient);
  if (!window) return false;
  const isReceiving = canReceive(channel, mode, supplied);
  if (!isReceiving) return false;
  const address = windowAddress(channel, recipient, mode);
  const isClosed = (conversation: KnownConversation | undefined): boolean =>
    conversation !== undefined &&
    windowState(window, { ...conversation, isReceiving, options, now }).state === 'closed';
  const recalled = recall(address);
  if (recalled && !isClosed(recalled)) return false;
  return find(address).then(isClosed);
}

const canReceive = (
  { hook }: Channel,
  mode: IntegrationMode,
  supplied: readonly CredentialName[],
): boolean => mode === 'sandbox' || !hook || missingCredentials(hook, supplied).length === 0;

/** Whether the vendor accepts free text now; undefined if it always does. `find` looks up the address. */
export async function currentWindow(
  channel: Channel,
  { recipient, mode, supplied, options }: Addressee,
  find: WindowLookup['find'],
  now: Millis,
): Promise<WindowState | undefined> {
  const window = windowFor(channel, recipient);
  const conversation = window && (await find(windowAddress(channel, recipient, mode)));
  if (!window || !conversation) return undefined;
  const isReceiving = canReceive(channel, mode, supplied);
  return windowState(window, { ...conversation, isReceiving, options, now });
}
