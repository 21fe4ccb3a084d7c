import type { Button, ButtonKind } from '../model/button.ts';
import type { Destination, TextPart, Unsupported, VendorRequest } from './request.ts';

/** How a channel adds buttons to a message. */
export interface ButtonRenderer {
  max: number;
  /** Maximum length of a button label. */
  maxLabelLength: number;
  /** Buttons that open a page, phone number or email address, and buttons that send a value back. */
  kinds: readonly ButtonKind[];
  /** Whether media can have buttons too; otherwise only texts can. */
  withMedia?: true;
  /** Whether the buttons disappear when another message follows. */
  isTransitory?: true;
  /** Maximum size of the value that a button sends back; no limit by default. */
  payload?: PayloadLimit;
  /** Adds the buttons, or returns why they do not fit this request. */
  add(
    request: VendorRequest,
    buttons: readonly Button[],
    place: ButtonPlace,
  ): VendorRequest | Unsupported;
}

/** Where buttons are added. */
export interface ButtonPlace {
  /** Whether no other message follows. */
  isLast: boolean;
  /** The text above the buttons; undefined if they are added to media. */
  text?: TextPart;
}

interface PayloadLimit {
  max: number;
  unit: 'bytes' | 'characters';
  /** How the value is encoded for the vendor, described for users; the value itself by default. */
  encoding?: string;
  write?(button: Button): string;
}

/** An item of a collection, with its own buttons. */
export interface Card {
  /** The URL of an image. */
  image?: string;
  mediaType?: string;
  text: TextPart;
  buttons: readonly Button[];
}

/** Shows several cards side by side. */
export interface CarouselRenderer {
  max: number;
  compose(cards: readonly Card[], to: Destination): VendorRequest | Unsupported;
}
