import type {
  Destination,
  Card,
  Channel,
  Renderers,
  TextLimit,
  TextPart,
  Unsupported,
  VendorRequest,
} from '../channels/channel.ts';
import {
  type RichText,
  charactersOf,
  isUnstyled,
  plainText,
  slicerOf,
  unstyled,
  withoutLongLinks,
} from '../lib/rich-text/rich-text.ts';
import { segmentsOf } from '../lib/text/gsm.ts';
import { splitRanges } from '../lib/text/split.ts';
import { type Button, buttonKind } from '../model/button.ts';
import type { Credentials } from '../model/integration.ts';
import type { Content, Item, MediaPiece, Piece, PlacePiece } from './content.ts';
import { type Degradation, Degradations } from './degradations.ts';
import { noteStructure } from './flattened.ts';
import { withoutLayout } from './layout.ts';
import { placeRequests } from './placing.ts';
import {
  type Composed,
  type Ready,
  inPlaceOf,
  placeText,
  linesOf,
  listOf,
  merged,
} from './ready.ts';
import type { References, Resolved } from './references.ts';

const UNLIMITED: TextLimit = { max: Number.MAX_SAFE_INTEGER, measure: (text) => text.length };

/** A rendered message. */
export interface Composition {
  requests: VendorRequest[];
  degradations: readonly Degradation[];
  /** The texts to send, before they are rendered for the channel. */
  texts: readonly RichText[];
}

/** The inputs of a plan besides the activity. */
export interface RenderContext {
  recipient: string;
  credentials: Credentials;
  /** The referenced earlier messages that are ours. */
  earlier?: Resolved;
  /** The addresses of received files in it. */
  received?: readonly string[];
  /** Whether its files come from the message that it edits. */
  keepsFiles?: boolean;
}

/** Renders one message for one channel. */
export class Composer {
  readonly #title: string;
  readonly #renderers: Renderers;
  readonly #text: TextLimit;
  readonly #to: Destination;
  readonly #content: Content;
  readonly #references: References;
  readonly #earlier: Resolved;
  readonly #received: readonly string[];
  readonly #keepsFiles: boolean;
  readonly #degradations = new Degradations();
  readonly #texts: RichText[] = [];

  constructor(
    { title, text = UNLIMITED }: Channel,
    renderers: Renderers,
    { recipient, credentials, earlier = {}, received = [], keepsFiles = false }: RenderContext,
    content: Content,
    references: References,
  ) {
    this.#title = title;
    this.#renderers = renderers;
    this.#text = text;
    this.#earlier = earlier;
    this.#received = received;
    this.#keepsFiles = keepsFiles;
    this.#references = references;
    const titled = this.#withTitle(content);
    this.#to = {
      recipient,
      credentials,
      ...(titled.title !== undefined && { title: titled.title }),
    };
    this.#content = text.shows ? titled : withoutLayout(titled, text.isSms?.(this.#to) ?? false);
  }

  /** Places a title that is too long above the text. */
  #withTitle(content: Content): Content {
    const { title: heading, items, ...rest } = content;
    const { titleLimit: limit } = this.#renderers;
    const [first, ...others] = items;
    if (heading === undefined || !limit || limit.measure(heading) <= limit.max) return content;
    this.#degradations.add(
      'long_title',
      `${this.#title} takes at most ${limit.max} bytes as a title`,
    );
    const pieces: Piece[] = [{ kind: 'text', rich: unstyled(heading) }, ...(first?.pieces ?? [])];
    return { ...rest, items: [{ buttons: [], ...first, pieces }, ...others] };
  }

  compose(): Composition {
    const { merge } = this.#renderers;
    const parts = this.#items();
    const requests = merge && parts.length > 1 ? [merge(parts)] : parts;
    const isFormatted = this.#written(unstyled('x')) !== undefined;
    noteStructure(this.#content, this.#title, this.#text, isFormatted, this.#degradations);
    const placed = placeRequests(requests, {
      title: this.#title,
      renderers: this.#renderers,
      references: this.#references,
      earlier: this.#earlier,
      degradations: this.#degradations,
    });
    if (this.#content.title !== undefined && this.#renderers.title === undefined) {
      this.#degradations.add('title', `${this.#title} has no titles`);
    }
    return { requests: placed, degradations: this.#degradations.list, texts: this.#texts };
  }

  /** Shows items that have their own buttons as cards side by side, or as one message each. */
  #items(): VendorRequest[] {
    const { items } = this.#content;
    const all = items.flatMap(({ buttons }) => buttons);
    if (all.some(({ url, value }) => url !== undefined && value !== undefined)) {
      this.#degradations.add('value', 'nothing comes back from a button that leads somewhere');
    }
    if (!this.#renderers.buttons) {
      const why = `${this.#title} has no buttons`;
      const ready = items.flatMap(({ pieces, buttons }) => [
        ...this.#carryAll(pieces),
        ...this.#list(buttons, why),
      ]);
      return this.#requests(ready);
    }
    const cards = items.filter(({ isOwn }) => !isOwn);
    const [first] = cards;
    const carousel = first && this.#carousel(cards);
    const start = first && carousel ? items.indexOf(first) : items.length;
    return items.flatMap((item, i) => {
      if (carousel && i === start) return [carousel];
      const isCard = carousel && i > start && !item.isOwn;
      return isCard ? [] : this.#item(item, i === items.length - 1);
    });
  }

  /** Undefined if the channel has no carousel, or the items exceed its size. */
  #carousel(items: readonly Item[]): VendorRequest | undefined {
    const form = this.#renderers.carousel;
    if (!form || items.length < 2 || items.length > form.max) return undefined;
    const noted = this.#texts.length;
    const cards = items.flatMap((item) => this.#card(item) ?? []);
    const request = cards.length === items.length ? form.compose(cards, this.#to) : undefined;
    if (request && !('unsupported' in request)) return request;
    this.#texts.length = noted;
    return undefined;
  }

  /** A card holds at most one image and a text. */
  #card({ pieces, buttons }: Item): Card | undefined {
    const kinds: readonly string[] = this.#renderers.buttons?.kinds ?? [];
    const [image, ...others] = pieces.filter(({ kind }) => kind !== 'text');
    if (others.length > 0 || (image && image.kind !== 'image')) return undefined;
    if (!buttons.every((button) => kinds.includes(buttonKind(button)))) return undefined;
    const texts = pieces.map((piece) => (piece.kind === 'text' ? piece.rich : piece.caption));
    const titled = texts
      .filter((rich) => rich.length > 0)
      .map((rich) => ({ kind: 'text', rich }) as const);
    const [text] = merged(titled);
    return {
      text: this.#toPart(text?.kind === 'text' ? text.rich : []),
      buttons,
      ...(image && { image: image.url }),
      ...(image?.mediaType !== undefined && { mediaType: image.mediaType }),
    };
  }

  /** An item with its buttons, or with a list of them at its end. */
  #item({ pieces, buttons }: Item, isLast: boolean): VendorRequest[] {
    const noted = this.#texts.length;
    const requests = this.#withButtons(pieces, buttons, isLast);
    if (!('unsupported' in requests)) return requests;
    this.#texts.length = noted;
    return this.#requests([
      ...this.#carryAll(pieces),
      ...this.#list(buttons, requests.unsupported),
    ]);
  }

  #withButtons(
    pieces: readonly Piece[],
    buttons: readonly Button[],
    isLast: boolean,
  ): VendorRequest[] | Unsupported {
    const kinds: readonly string[] = this.#renderers.buttons?.kinds ?? [];
    const isContact = (button: Button) => {
      const kind = buttonKind(button);
      return (kind === 'tel' || kind === 'mailto') && !kinds.includes(kind);
    };
    const contacts = buttons.filter(isContact);
    const others = buttons.filter((button) => !isContact(button));
    const refusal = this.#refusalOf(others, pieces, isLast, contacts.length > 0);
    if (refusal !== undefined) return { unsupported: refusal };
    const ready = this.#carryAll(pieces);
    if (contacts.length > 0) ready.push(linesOf(contacts));
    const requests = others.length === 0 ? this.#requests(ready) : this.#add(ready, others, isLast);
    if (contacts.length > 0 && !('unsupported' in requests)) {
      const why = 'has no buttons that dial a number or write an email';
      this.#degradations.add('contact', `${this.#title} ${why}`);
    }
    return requests;
  }

  /** Adds the buttons to the last part that can have them. */
  #add(
    ready: readonly Ready[],
    buttons: readonly Button[],
    isLast: boolean,
  ): VendorRequest[] | Unsupported {
    const form = this.#renderers.buttons;
    const composed = this.#laidOut(ready);
    const requests = composed.map((part) => this.#request(part));
    const at = composed.findLastIndex(({ kind }) => kind === 'text' || form?.withMedia === true);
    const request = requests[at];
    if (!form || !request)
      return { unsupported: `${this.#title} has nothing to put buttons below` };
    const added = form.add(request, buttons, isLast);
    return 'unsupported' in added ? added : requests.with(at, added);
  }

  /** Why the channel cannot show these buttons. */
  #refusalOf(
    buttons: readonly Button[],
    pieces: readonly Piece[],
    isLast: boolean,
    hasLines: boolean,
  ): string | undefined {
    const { buttons: form } = this.#renderers;
    if (!form || buttons.length === 0) return undefined;
    if (buttons.length > form.max) return `${this.#title} takes at most ${form.max} buttons`;
    if (form.isTransitory && !isLast)
      return `${this.#title} shows buttons below the last message only`;
    const odd = buttons.map(buttonKind).find((kind) => !form.kinds.includes(kind));
    if (odd === 'link') return `${this.#title} has no buttons that lead somewhere`;
    if (odd === 'reply') return `${this.#title} has no buttons that say something`;
    const long = buttons.some(({ name }) => name.length > form.maxLabelLength);
    if (long) return `${this.#title} takes at most ${form.maxLabelLength} characters on a button`;
    const isCarried = form.withMedia ?? (hasLines || pieces.some(({ kind }) => kind === 'text'));
    return isCarried
      ? undefined
      : `${this.#title} shows buttons below a text only, and there is none`;
  }

  /** Renders buttons as a text list and records the reason. */
  #list(buttons: readonly Button[], why: string): Ready[] {
    if (buttons.length === 0) return [];
    this.#degradations.add('buttons', why);
    if (buttons.some(({ url, value }) => url === undefined && value !== undefined)) {
      this.#degradations.add('value', 'an answer to a list comes back as the person writes it');
    }
    return [listOf(buttons)];
  }

  #requests(ready: readonly Ready[]): VendorRequest[] {
    return this.#laidOut(ready).map((part) => this.#request(part));
  }

  #laidOut(ready: readonly Ready[]): Composed[] {
    return merged(ready).flatMap((part) => (part.kind === 'text' ? this.#split(part.rich) : part));
  }

  #carryAll(pieces: readonly Piece[]): Ready[] {
    return pieces.flatMap((piece) => this.#carry(piece));
  }

  /** Renders a piece if the channel supports it; otherwise degrades it. */
  #carry(piece: Piece): Ready[] {
    if (piece.kind === 'text') return [piece];
    if (piece.kind === 'place') return this.#carryPlace(piece);
    return this.#carryMedia(piece);
  }

  #carryPlace(piece: PlacePiece): Ready[] {
    const { caption, latitude, longitude, name } = piece;
    const { place, omitsPlaceNames } = this.#renderers;
    const where = { latitude, longitude, ...(name !== undefined && { name }) };
    const text: Ready[] = caption.length === 0 ? [] : [{ kind: 'text', rich: caption }];
    const request = place?.(where, this.#to) ?? { unsupported: `${this.#title} takes no places` };
    if ('unsupported' in request) {
      this.#degradations.add('place', request.unsupported);
      return [{ kind: 'text', rich: unstyled(placeText(piece)) }, ...text];
    }
    if (!omitsPlaceNames || name === undefined) return [{ kind: 'request', request }, ...text];
    this.#degradations.add('caption', `${this.#title} shows places without their names`);
    return [{ kind: 'request', request }, { kind: 'text', rich: unstyled(name) }, ...text];
  }

  #carryMedia(piece: MediaPiece): Ready[] {
    const { kind } = piece;
    const form = this.#renderers[kind] ?? this.#renderers.document;
    if (!form) {
      this.#degradations.add(kind, `${this.#title} takes no ${PLURAL[kind]}`);
      return [inPlaceOf(piece)];
    }
    const { caption, kind: _, ...media } = piece;
    const written = this.#write(caption);
    const isShort = this.#text.measure(written) <= form.maxCaptionLength;
    const own = isShort ? { text: written, rich: caption } : NOTHING;
    const isReceived = this.#received.includes(media.url);
    const isKept = this.#keepsFiles;
    const part = { ...media, caption: own, ...(isReceived && { isReceived }) };
    const request = form.compose(isKept ? { ...part, isKept } : part, this.#to);
    if ('unsupported' in request) {
      this.#degradations.add(kind, request.unsupported);
      return [inPlaceOf(piece)];
    }
    if (!this.#renderers[kind])
      this.#degradations.add('file', `${this.#title} takes no ${PLURAL[kind]}`);
    if (isShort) {
      this.#note(caption);
      return [{ kind: 'request', request }];
    }
    const most = form.maxCaptionLength === 0 ? 'none' : `at most ${form.maxCaptionLength}`;
    this.#degradations.add('caption', `${this.#title} takes ${most} as a caption here`);
    return [
      { kind: 'request', request },
      { kind: 'text', rich: caption },
    ];
  }

  #split(text: RichText): Composed[] {
    const { max, measure, byLine = false } = this.#text;
    // A link that does not fit by itself would not fit in any slice either.
    const rich = withoutLongLinks(text, (link) => measure(this.#write(link)) <= max);
    const characters = charactersOf(rich);
    const slice = slicerOf(rich);
    const fits = (start: number, end: number) => measure(this.#write(slice(start, end))) <= max;
    const ranges = splitRanges(characters, fits, byLine);
    if (ranges.length > 1) {
      const why = byLine ? 'takes one line at a time' : `takes at most ${max} in one message`;
      this.#degradations.add('length', `${this.#title} ${why}`);
    }
    return ranges.map(([start, end]) => ({ kind: 'text', part: this.#toPart(slice(start, end)) }));
  }

  #write(rich: RichText): string {
    return this.#written(rich) ?? plainText(rich);
  }

  /** Undefined where there is no markup. */
  #written(rich: RichText): string | undefined {
    return this.#text.write?.(rich, this.#to);
  }

  #toPart(rich: RichText): TextPart {
    this.#note(rich);
    return { text: this.#write(rich), rich };
  }

  /** Records lost formatting. */
  #note(rich: RichText): void {
    if (rich.length > 0) this.#texts.push(rich);
    if (isUnstyled(rich)) return;
    const say = (where: string) =>
      this.#degradations.add('formatting', `${this.#title} shows nothing but text${where}`);
    if (!this.#text.write) say('');
    else if (this.#written(rich) === undefined) say(' to this recipient');
    else if (this.#text.clashes?.(rich, this.#to) === true) {
      const why = 'cannot write a look around its own sign';
      this.#degradations.add('formatting', `${this.#title} ${why}`);
    }
  }

  #request(part: Composed): VendorRequest {
    if (part.kind === 'request') return part.request;
    const request = this.#renderers.text(part.part, this.#to);
    const isSms = this.#text.isSms?.(this.#to) ?? false;
    return isSms ? { ...request, segments: segmentsOf(part.part.text) } : request;
  }
}

const NOTHING: TextPart = { text: '', rich: [] };

const PLURAL = { image: 'images', video: 'videos', audio: 'audio', document: 'files' } as const;
