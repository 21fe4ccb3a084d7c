import type { Button, ButtonKind } from '../model/button.ts';
import type { Addressed, TextPart, Unfit, Wire } from './channel.ts';

/** How buttons are added to what is sent. */
export interface ButtonForm {
  most: number;
  /** How many characters the name of a button may have. */
  label: number;
  /** Those that lead to a page, a number or an email address, and those whose value comes back. */
  kinds: readonly ButtonKind[];
  /** Whether they can stand below media too; otherwise a text has to carry them. */
  withMedia?: true;
  /** Whether they are gone once another message follows. */
  fleeting?: true;
  /** How much may come back when a button is pressed; as much as anybody wants where this is left out. */
  payload?: PayloadLimit;
  /**
   * With what it makes of the text, it may turn out that the two do not go together. `isLast` says whether no other
   * message follows.
   */
  add(wire: Wire, buttons: readonly Button[], isLast: boolean): Wire | Unfit;
}

export interface PayloadLimit {
  most: number;
  unit: 'bytes' | 'characters';
  /** How the value is written for the vendor, in words; the value itself where both are left out. */
  how?: string;
  write?(button: Button): string;
}

/** An item of a collection, with its own buttons. */
export interface Card {
  /** The address of a picture. */
  image?: string;
  mediaType?: string;
  text: TextPart;
  buttons: readonly Button[];
}

/** How several cards are shown side by side. */
export interface CarouselForm {
  most: number;
  compose(cards: readonly Card[], to: Addressed): Wire | Unfit;
}
