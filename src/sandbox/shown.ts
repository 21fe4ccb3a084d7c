import { type RichText, charactersOf, isUnstyled } from '../lib/rich-text/rich-text.ts';
import type { Millis } from '../model/timestamp.ts';

/*
 * What a person sees on their phone. Simulators derive it from the requests that they receive, never from the activity
 * that the application sent: the phone shows what the vendor would.
 */

/** A piece of text with one look. */
export interface ShownRun {
  text: string;
  bold?: true;
  italic?: true;
  strike?: true;
  code?: true;
  link?: string;
}

export interface ShownMedia {
  type: 'Image' | 'Video' | 'Audio' | 'Document';
  /** The URL given by the application; the sandbox does not fetch it. */
  url?: string;
  /** The id of a file that the sandbox has. */
  file?: string;
  name?: string;
  media_type?: string;
}

export interface ShownButton {
  label: string;
  /** What the vendor returns when it is pressed. */
  value?: string;
  /** The page that it opens instead. */
  url?: string;
  /** Whether it is a quick reply, which is gone once another message follows. */
  quick?: true;
}

export interface ShownPlace {
  latitude: number;
  longitude: number;
  name?: string;
}

/** The content of a message on the phone. */
export interface ShownContent {
  title?: string;
  text?: string;
  /** The text in pieces, if some of it is formatted. */
  runs?: readonly ShownRun[];
  media?: readonly ShownMedia[];
  place?: ShownPlace;
  buttons?: readonly ShownButton[];
  /** Shown beside the text, such as the priority and the tags of a notification. */
  labels?: readonly string[];
  /** Cards side by side. */
  cards?: readonly ShownContent[];
  /** The vendor's id of the quoted message. */
  reply_to?: string;
  /** The vendor's id of the thread. */
  thread?: string;
  /** A value that the person does not see; the vendor returns it with an answer. */
  tracking?: string;
}

export const ENTRY_KINDS = [
  'message',
  'press',
  'react',
  'join',
  'leave',
  'block',
  'unblock',
] as const;

export type EntryKind = (typeof ENTRY_KINDS)[number];

export const RECEIPT_STATES = ['delivered', 'read', 'failed'] as const;

export type ReceiptState = (typeof RECEIPT_STATES)[number];

/** One entry of a conversation: a message, or what a person did. */
export interface ShownEntry extends ShownContent {
  kind: EntryKind;
  edited?: true;
  deleted?: true;
  /** What the vendor reported to the application last. */
  status?: ReceiptState;
  /** The author, in a room. */
  sender?: string;
}

/** An entry with its place on the phone. */
export interface PhoneEntry {
  /** Grows with each entry. */
  number: number;
  /** The address of the person or room. */
  person: string;
  author: 'application' | 'person';
  /** The vendor's id. */
  vendorId: string;
  createdAt: Millis;
  entry: ShownEntry;
}

/** Formatted text as it is shown. */
export function shownText(rich: RichText): Pick<ShownContent, 'text' | 'runs'> {
  if (rich.length === 0) return {};
  const text = charactersOf(rich);
  if (isUnstyled(rich)) return { text };
  const runs = rich.map(({ text: piece, look: { bold, italic, strike, code, block, link } }) => ({
    text: piece,
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(strike && { strike }),
    ...((code ?? block) && { code: true as const }),
    ...(link !== undefined && { link }),
  }));
  return { text, runs };
}
