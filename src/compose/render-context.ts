import type { Credentials } from '../model/integration.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Resolved } from './references.ts';

/** The inputs of a plan besides the activity. */
export interface RenderContext {
  recipient: string;
  credentials: Credentials;
  /** Values of the channel's options. */
  options?: MessageOptions;
  /** When the message expires. */
  expiresAt?: Millis | undefined;
  /** The referenced earlier messages that are ours. */
  earlier?: Resolved;
  /** The URLs of received files in the message. */
  received?: readonly string[];
  /** Whether the files come from the message being edited. */
  keepsFiles?: boolean;
}
