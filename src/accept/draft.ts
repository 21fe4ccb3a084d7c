import type { Activity } from '../model/activity.ts';
import type { Category } from '../model/sending/consent.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';

/** When to send a message: an instant, or a local time in a zone. */
export type SendAt = string | { local: string; zone: string };

/** An activity to send, parsed and as received. */
export interface Draft {
  activity: Activity;
  text: string;
  /** Location of the activity in the request. */
  pointer: string;
  /** Values of the channel's options, and their location. */
  options?: MessageOptions | undefined;
  optionsPointer?: string;
  /** When to send it, and its location; at once by default. */
  sendAt?: SendAt | undefined;
  sendAtPointer?: string;
  /** Transactional by default. */
  category?: Category | undefined;
}
