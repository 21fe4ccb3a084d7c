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
import type { Content, Item, MediaPiece, Piece, PlacePiece } from './content.ts';
import { type Degradation, Degradations } from './degradations.ts';
import { withoutLayout } from './layout.ts';
import { noteLostStructure } from './lost-structure.ts';
import type { References, Resolved } from './references.ts';
import type { RenderContext } from './render-context.ts';
import {
  type Composed,
  type RenderedPiece,
  linkFallback,
  placeText,
  linesOf,
  listOf,
  merged,
} from './rendered-piece.ts';
import { addReplyAndThread } from './reply-and-thread.ts';

const UNLIMITED: TextLimit = { max: Number.MAX_SAFE_INTEGER, measure: (text) => text.length };

/** A rendered message. */
export interface Composition {
  requests: VendorRequest[];
  degradations: readonly Degradation[];
  /** The texts to send, before they are rendered for the channel. */
  texts: readonly RichText[];
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
    context: RenderContext,
    content: Content,
    references: References,
  ) {
    const { recipient, credentials, options = {}, expiresAt } = context;
    const { earlier = {}, received = [], keepsFiles = false } = context;
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
      options,
      ...(expiresAt !== undefined && { expiresAt }),
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
    this.#degradations.add('long_title', `${this.#title} takes titles up to length ${limit.max}`);
    const pieces: Piece[] = [{ kind: 'text', rich: unstyled(heading) }, ...(first?.pieces ?? [])];
    return { ...rest, items: [{ buttons: [], ...first, pieces }, ...others] };
  }

  compose(): Composition {
    const { merge } = this.#renderers;
    const parts = this.#items();
    const requests = merge && parts.length > 1 ? [merge(parts)] : parts;
    const isFormatted = this.#written(unstyled('x')) !== undefined;
    noteLostStructure(this.#content, this.#title, this.#text, isFormatted, this.#degradations);
    const placed = addReplyAndThread(requests, {
      title: this.#title,
      renderers: this.#renderers,
      references: this.#references,
      earlier: this.#earlier,
      degradations: this.#degradations,
    });
    if (this.#content.title !== undefined && this.#renderers.title === undefined) {
      this.#degradations.add('title', `${this.#title} has no titles`);
    }
    const { options = (request: VendorRequest) => request } = this.#renderers;
    const complete = placed.map((request) => options(request, this.#to));
    return { requests: complete, degradations: this.#degradations.list, texts: this.#texts };
  }

  /** Shows items that have their own buttons as cards side by side, or as one message each. */
  #items(): VendorRequest[] {
    const { items } = this.#content;
    const all = items.flatMap(({ buttons }) => buttons);
    if (all.some(({ url, value }) => url !== undefined && value !== undefined)) {
      this.#degradations.add('value', 'a button that opens a URL returns no value');
    }
    if (!this.#renderers.buttons) {
      const why = `${this.#title} has no buttons`;
      const ready = items.flatMap(({ pieces, buttons }) => [
        ...this.#renderAll(pieces),
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
    const renderer = this.#renderers.carousel;
    if (!renderer || items.length < 2 || items.length > renderer.max) return undefined;
    const textCount = this.#texts.length;
    const cards = items.flatMap((item) => this.#card(item) ?? []);
    const request = cards.length === items.length ? renderer.compose(cards, this.#to) : undefined;
    if (request && !('unsupported' in request)) return request;
    this.#texts.length = textCount;
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
    const textCount = this.#texts.length;
    const requests = this.#withButtons(pieces, buttons, isLast);
    if (!('unsupported' in requests)) return requests;
    this.#texts.length = textCount;
    return this.#requests([
      ...this.#renderAll(pieces),
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
    const ready = this.#renderAll(pieces);
    if (contacts.length > 0) ready.push(linesOf(contacts));
    const requests = others.length === 0 ? this.#requests(ready) : this.#add(ready, others, isLast);
    if (contacts.length > 0 && !('unsupported' in requests)) {
      const why = 'has no buttons for phone numbers or email addresses';
      this.#degradations.add('contact', `${this.#title} ${why}`);
    }
    return requests;
  }

  /** Adds the buttons to the last part that supports them. */
  #add(
    ready: readonly RenderedPiece[],
    buttons: readonly Button[],
    isLast: boolean,
  ): VendorRequest[] | Unsupported {
    const renderer = this.#renderers.buttons;
    const composed = this.#splitTexts(ready);
    const requests = composed.map((part) => this.#request(part));
    const at = composed.findLastIndex(
      ({ kind }) => kind === 'text' || renderer?.withMedia === true,
    );
    const request = requests[at];
    if (!renderer || !request)
      return { unsupported: `${this.#title} has nothing to put buttons below` };
    const part = composed[at];
    const text = part?.kind === 'text' ? { text: part.part } : {};
    const added = renderer.add(request, buttons, { isLast, ...text });
    return 'unsupported' in added ? added : requests.with(at, added);
  }

  /** Why the channel cannot show these buttons. */
  #refusalOf(
    buttons: readonly Button[],
    pieces: readonly Piece[],
    isLast: boolean,
    hasLines: boolean,
  ): string | undefined {
    const { buttons: renderer } = this.#renderers;
    if (!renderer || buttons.length === 0) return undefined;
    if (buttons.length > renderer.max)
      return `${this.#title} takes at most ${renderer.max} buttons`;
    if (renderer.isTransitory && !isLast)
      return `${this.#title} shows buttons below the last message only`;
    const unsupportedKind = buttons.map(buttonKind).find((kind) => !renderer.kinds.includes(kind));
    if (unsupportedKind === 'link') return `${this.#title} has no buttons that open a URL`;
    if (unsupportedKind === 'reply') return `${this.#title} has no buttons that send a reply`;
    const long = buttons.some(({ name }) => name.length > renderer.maxLabelLength);
    if (long)
      return `${this.#title} takes at most ${renderer.maxLabelLength} characters on a button`;
    const hasPlaceForButtons =
      renderer.withMedia ?? (hasLines || pieces.some(({ kind }) => kind === 'text'));
    return hasPlaceForButtons
      ? undefined
      : `${this.#title} shows buttons below a text only, and there is none`;
  }

  /** Renders buttons as a text list and records the reason. */
  #list(buttons: readonly Button[], why: string): RenderedPiece[] {
    if (buttons.length === 0) return [];
    this.#degradations.add('buttons', why);
    if (buttons.some(({ url, value }) => url === undefined && value !== undefined)) {
      this.#degradations.add('value', 'people answer a list with any text');
    }
    return [listOf(buttons)];
  }

  #requests(ready: readonly RenderedPiece[]): VendorRequest[] {
    return this.#splitTexts(ready).map((part) => this.#request(part));
  }

  #splitTexts(ready: readonly RenderedPiece[]): Composed[] {
    return merged(ready).flatMap((part) => (part.kind === 'text' ? this.#split(part.rich) : part));
  }

  #renderAll(pieces: readonly Piece[]): RenderedPiece[] {
    return pieces.flatMap((piece) => this.#renderPiece(piece));
  }

  /** Renders a piece if the channel supports it; otherwise degrades it. */
  #renderPiece(piece: Piece): RenderedPiece[] {
    if (piece.kind === 'text') return [piece];
    if (piece.kind === 'place') return this.#renderPlace(piece);
    return this.#renderMedia(piece);
  }

  #renderPlace(piece: PlacePiece): RenderedPiece[] {
    const { caption, latitude, longitude, name } = piece;
    const { place, omitsPlaceNames } = this.#renderers;
    const where = { latitude, longitude, ...(name !== undefined && { name }) };
    const text: RenderedPiece[] = caption.length === 0 ? [] : [{ kind: 'text', rich: caption }];
    const request = place?.(where, this.#to) ?? { unsupported: `${this.#title} takes no places` };
    if ('unsupported' in request) {
      this.#degradations.add('place', request.unsupported);
      return [{ kind: 'text', rich: unstyled(placeText(piece)) }, ...text];
    }
    if (!omitsPlaceNames || name === undefined) return [{ kind: 'request', request }, ...text];
    this.#degradations.add('caption', `${this.#title} shows places without their names`);
    return [{ kind: 'request', request }, { kind: 'text', rich: unstyled(name) }, ...text];
  }

  #renderMedia(piece: MediaPiece): RenderedPiece[] {
    const { kind } = piece;
    const renderer = this.#renderers[kind] ?? this.#renderers.document;
    if (!renderer) {
      this.#degradations.add(kind, `${this.#title} takes no ${PLURAL[kind]}`);
      return [linkFallback(piece)];
    }
    const { caption, kind: _, ...media } = piece;
    const written = this.#toText(caption);
    const isShort = this.#text.measure(written) <= renderer.maxCaptionLength;
    const own = isShort ? { text: written, rich: caption } : NOTHING;
    const isReceived = this.#received.includes(media.url);
    const isKept = this.#keepsFiles;
    const part = { ...media, caption: own, ...(isReceived && { isReceived }) };
    const request = renderer.compose(isKept ? { ...part, isKept } : part, this.#to);
    if ('unsupported' in request) {
      this.#degradations.add(kind, request.unsupported);
      return [linkFallback(piece)];
    }
    if (!this.#renderers[kind])
      this.#degradations.add('file', `${this.#title} takes no ${PLURAL[kind]}`);
    if (isShort) {
      this.#note(caption);
      return [{ kind: 'request', request }];
    }
    const { maxCaptionLength: max } = renderer;
    const limit = max === 0 ? 'no caption here' : `captions up to length ${max} here`;
    this.#degradations.add('caption', `${this.#title} takes ${limit}`);
    return [
      { kind: 'request', request },
      { kind: 'text', rich: caption },
    ];
  }

  #split(text: RichText): Composed[] {
    const { max, measure, byLine = false } = this.#text;
    // A link that does not fit alone would not fit in any slice either.
    const rich = withoutLongLinks(text, (link) => measure(this.#toText(link)) <= max);
    const characters = charactersOf(rich);
    const slice = slicerOf(rich);
    const fits = (start: number, end: number) => measure(this.#toText(slice(start, end))) <= max;
    const ranges = splitRanges(characters, fits, byLine);
    if (ranges.length > 1) {
      const why = byLine ? 'takes one line per message' : `takes texts up to length ${max}`;
      this.#degradations.add('length', `${this.#title} ${why}`);
    }
    return ranges.map(([start, end]) => ({ kind: 'text', part: this.#toPart(slice(start, end)) }));
  }

  #toText(rich: RichText): string {
    return this.#written(rich) ?? plainText(rich);
  }

  /** The text in the channel's markup; undefined if it has none for this recipient. */
  #written(rich: RichText): string | undefined {
    return this.#text.write?.(rich, this.#to);
  }

  #toPart(rich: RichText): TextPart {
    this.#note(rich);
    return { text: this.#toText(rich), rich };
  }

  /** Records the text, and any formatting it loses. */
  #note(rich: RichText): void {
    if (rich.length > 0) this.#texts.push(rich);
    if (isUnstyled(rich)) return;
    const addDegradation = (where: string) =>
      this.#degradations.add('formatting', `${this.#title} shows plain text only${where}`);
    if (!this.#text.write) addDegradation('');
    else if (this.#written(rich) === undefined) addDegradation(' to this recipient');
    else if (this.#text.clashes?.(rich, this.#to) === true) {
      const why = 'cannot format text that contains the delimiter';
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
