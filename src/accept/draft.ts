import type { Activity } from '../model/activity.ts';
import type { NewMessage } from '../model/message.ts';
import type { AddressChoice } from '../model/people/address-choice.ts';
import type { Category } from '../model/sending/consent.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { Condition } from '../model/sending/message-route.ts';
import type { QuietHours } from '../model/sending/quiet-hours.ts';
import type { TemplateRequest } from '../model/templates/template.ts';
import type { IdempotencyKey } from '../store/engine.ts';
import type { Person } from '../store/people/contacts.ts';

/** When to send a message: an instant, or a local time in a zone. */
export type SendAt = string | { local: string; zone: string };

/** One of several ways to send a message, as requested. */
export interface RouteRequest {
  /** An integration, channel or pool; the first route uses that of `generator` by default. */
  via?: string | number | undefined;
  to?: string | undefined;
  after?: string | undefined;
  until?: Condition | undefined;
  options?: MessageOptions | undefined;
  template?: TemplateRequest | undefined;
}

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
  /** The template to send, and the one to send if the vendor accepts no free text; see `base`. */
  template?: TemplateRequest | undefined;
  outsideWindow?: TemplateRequest | undefined;
  /** Ways to send it, one after the other. */
  routes?: readonly RouteRequest[] | undefined;
  /** The address that was chosen for a message to a contact. */
  contact?: AddressChoice;
  /** The contacts that the message or its routes name, by the name. */
  people?: ReadonlyMap<string, Person>;
  /** Location of the instructions in the request. */
  base?: string;
}

/** How to accept the drafts of a request. */
export interface AcceptOptions {
  idempotency?: IdempotencyKey | undefined;
  withSuppressed?: boolean;
  trace?: string | null;
}

/** The context that all messages of a request share. */
export type Origin = Pick<NewMessage, 'applicationId' | 'createdAt' | 'trace'> & {
  quietHours: QuietHours;
  /** The secret of the digests of erased people; undefined if nobody was erased. */
  secret?: Buffer | undefined;
  /** Of a batch: collects the messages that quiet hours refuse. A single one throws a Problem. */
  refused?: Set<NewMessage> | undefined;
};
