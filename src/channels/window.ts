import type { MessageOptions } from '../model/sending/instructions.ts';
import type { StoredWindow } from '../model/sending/window.ts';
import type { Millis } from '../model/timestamp.ts';

const HOUR_MS = 3_600_000;

/**
 * The time after a person's message in which the vendor accepts free text; outside it only templates, if the vendor has
 * any.
 */
export interface MessageWindow {
  hours: number;
  /** The vendor's page. */
  link: string;
  /** Whether the vendor has a window for this recipient; for all of them by default. */
  appliesTo?(recipient: string): boolean;
  /** An option of the message that makes the window longer. */
  extension?: { option: string; hours: number };
}

/** How long an event opens the window, where that differs from a message. */
export interface OpenedWindow {
  forMs: Millis;
  /** How long the vendor may accept free text, depending on what it alone knows. */
  perhapsForMs?: Millis;
}

/** `unknown`: only the vendor knows, so it decides. `until` is when the state may change, if that is known. */
export type WindowState =
  | { state: 'open'; until: Millis }
  | { state: 'unknown'; until: Millis | null }
  | { state: 'closed'; until: null };

/** The facts about the conversation with a recipient that decide whether its window is open. */
export interface Conversation {
  stored: StoredWindow | undefined;
  /** When the integration was created: earlier messages are unknown. */
  integrationCreatedAt: Millis;
  /** Whether the integration receives messages at all. */
  isReceiving: boolean;
  options: MessageOptions;
  now: Millis;
}

export function windowDuration(
  { hours, extension }: MessageWindow,
  options: MessageOptions,
): Millis {
  const isLonger = extension !== undefined && options[extension.option] === true;
  return (isLonger ? extension.hours : hours) * HOUR_MS;
}

export function windowState(window: MessageWindow, conversation: Conversation): WindowState {
  const { stored, integrationCreatedAt, isReceiving, options, now } = conversation;
  const duration = windowDuration(window, options);
  if (stored) {
    const extended = duration > window.hours * HOUR_MS ? stored.inboundAt + duration : 0;
    const until = Math.max(stored.openUntil, extended);
    if (until > now) return { state: 'open', until };
    if (stored.perhapsUntil > now) return { state: 'unknown', until: stored.perhapsUntil };
  }
  if (!isReceiving) return { state: 'unknown', until: null };
  const unknownUntil = integrationCreatedAt + duration;
  return unknownUntil > now
    ? { state: 'unknown', until: unknownUntil }
    : { state: 'closed', until: null };
}
