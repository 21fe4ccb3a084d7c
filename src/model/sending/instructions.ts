import type { Id } from '../id.ts';
import type { AddressChoice } from '../people/address-choice.ts';
import type { ChosenTemplate } from '../templates/template.ts';
import type { Millis } from '../timestamp.ts';

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
  contact?: Pick<AddressChoice, 'contactId' | 'because' | 'zone'> & {
    /** The time of a scheduled message for which the address was chosen again. */
    dueAt?: Millis;
  };
  /** Set for an Update or Delete: the message with routes that it changes. */
  changes?: Id;
  /**
   * Set for a route that starts after its message was updated: the ids of the Updates, newest first. The route sends
   * their content.
   */
  revisedBy?: readonly Id[];
}

/** As stored: null if there are none. */
export function writeInstructions(instructions: Instructions): string | null {
  const { options, template, outsideWindow, sandbox, marketing, contact } = instructions;
  const { changes, revisedBy } = instructions;
  // Leaves out what is undefined.
  const json = JSON.stringify({
    options: options && hasAny(options) ? options : undefined,
    template,
    outsideWindow,
    sandbox,
    marketing,
    contact: contact && storedContact(contact),
    changes,
    revisedBy,
  });
  return json === '{}' ? null : json;
}

function hasAny(options: MessageOptions): boolean {
  for (const _ in options) return true;
  return false;
}

const storedContact = ({
  contactId,
  because,
  zone,
  dueAt,
}: NonNullable<Instructions['contact']>) => ({ contactId, because, zone, dueAt });

/** The zone of the contact that the message was sent to, if that is known. */
export function contactZone(stored: string | null): string | undefined {
  return stored === null ? undefined : readInstructions(stored).contact?.zone;
}

export function readInstructions(stored: string | null): Instructions {
  return stored === null ? {} : (JSON.parse(stored) as Instructions);
}

/** Whether the message may only be sent in the sandbox. */
export function isSandboxed({ instructions = null }: { instructions?: string | null }): boolean {
  return readInstructions(instructions).sandbox === true;
}
