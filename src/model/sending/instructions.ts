import type { AddressChoice } from '../people/choice.ts';
import type { ChosenTemplate } from '../templates/template.ts';

/** Values of a channel's options, such as a priority. The channel defines their names and values. */
export type MessageOptions = Readonly<Record<string, string | number | boolean>>;

/** How to send a message, given beside its activity. */
export interface Instructions {
  options?: MessageOptions;
  /** The template that is sent instead of the object. */
  template?: ChosenTemplate;
  /** The template that is sent if the vendor accepts no free text. */
  outsideWindow?: ChosenTemplate;
  /** Set if the message was accepted for a sandbox integration. */
  sandbox?: true;
  /** Set for marketing, which tells people how to unsubscribe. */
  marketing?: true;
  /** Set if the message was sent to a contact. */
  contact?: Pick<AddressChoice, 'contactId' | 'because'>;
}

/** As stored: null if there are none. */
export function writeInstructions(instructions: Instructions): string | null {
  const { options = {}, template, outsideWindow, sandbox, marketing, contact } = instructions;
  const written = {
    ...(Object.keys(options).length > 0 && { options }),
    ...(template && { template }),
    ...(outsideWindow && { outsideWindow }),
    ...(sandbox && { sandbox }),
    ...(marketing && { marketing }),
    ...(contact && { contact: { contactId: contact.contactId, because: contact.because } }),
  };
  return Object.keys(written).length === 0 ? null : JSON.stringify(written);
}

export function readInstructions(stored: string | null): Instructions {
  return stored === null ? {} : (JSON.parse(stored) as Instructions);
}

/** Whether the message may only be sent in the sandbox. */
export function isSandboxed({ instructions = null }: { instructions?: string | null }): boolean {
  return readInstructions(instructions).sandbox === true;
}
