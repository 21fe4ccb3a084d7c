import {
  type Addressed,
  type Button,
  type Channel,
  type Forms,
  type TextLimit,
  type TextPart,
  type Unfit,
  type Wire,
  linkTo,
} from '../channels/channel.ts';
import { segmentsOf } from '../lib/gsm.ts';
import {
  type RichText,
  type Run,
  charactersOf,
  isUnstyled,
  joined,
  plainText,
  slicerOf,
  unstyled,
  withoutLongLinks,
} from '../lib/rich-text.ts';
import { splitRanges } from '../lib/split.ts';
import type { Activity } from '../model/activity.ts';
import type { Credentials } from '../model/integration.ts';
import {
  type Content,
  MAX_FORMAT_CHANGES,
  type MediaPiece,
  type Piece,
  type PlacePiece,
  readContent,
} from './content.ts';
import { withoutLayout } from './layout.ts';
import { type Loss, Losses } from './losses.ts';
import { type References, type Resolved, referencesOf } from './references.ts';

/*
 * How a message goes out through a channel: step by step, each of which is one request or the like. The same
 * activity makes the same steps each time, since a retry goes on behind those that are done.
 */
export type Step =
  | { does: 'send'; wire: Wire }
  | { does: 'edit'; id: string; wire: Wire }
  | { does: 'remove'; id: string };

export interface Plan {
  /** None when there is nothing that could be done. */
  steps: Step[];
  losses: readonly Loss[];
  /** The texts that go out, as they were before they were written for the channel. */
  texts: readonly RichText[];
}

/** What a plan depends on besides the activity. */
export interface Circumstances {
  recipient: string;
  credentials: Credentials;
  /** The earlier messages that it is about, where they are ours. */
  earlier?: Resolved;
  /** The addresses of files in it that somebody sent to us. */
  received?: readonly string[];
  /** Whether its files are those of the message that it changes. */
  keepsFiles?: boolean;
}

export function makePlan(activity: Activity, channel: Channel, given: Circumstances): Plan {
  const ids = given.earlier?.changed ?? [];
  if (activity.type === 'Delete') {
    return { steps: ids.map((id) => ({ does: 'remove', id })), losses: [], texts: [] };
  }
  const { wires, ...said } = composeAll(activity, channel, given);
  if (activity.type === 'Create') return { steps: wires.map(toSend), ...said };
  // Sending it once more would be no change.
  if (ids.length === 0 && channel.forms !== 'whole') return { steps: [], ...said };
  const steps: Step[] = wires.map((wire, i) => {
    const id = ids[i];
    return id === undefined ? toSend(wire) : { does: 'edit', id, wire };
  });
  // What is too much of the earlier message goes, where the channel can take it back.
  const rest = channel.remove ? ids.slice(wires.length) : [];
  return { steps: [...steps, ...rest.map((id) => ({ does: 'remove' as const, id }))], ...said };
}

const toSend = (wire: Wire): Step => ({ does: 'send', wire });

const UNLIMITED: TextLimit = { most: Number.MAX_SAFE_INTEGER, measure: (text) => text.length };

type Composition = { wires: Wire[] } & Pick<Plan, 'losses' | 'texts'>;

function composeAll(activity: Activity, channel: Channel, given: Circumstances): Composition {
  const { forms } = channel;
  if (!forms) return { wires: [], losses: [], texts: [] };
  if (forms === 'whole') return { wires: [{ body: { ...activity } }], losses: [], texts: [] };
  const references = referencesOf(activity);
  return new Composer(channel, forms, given, readContent(activity), references).compose();
}

/** Writes one message for one channel. */
class Composer {
  readonly #title: string;
  readonly #forms: Forms;
  readonly #text: TextLimit;
  readonly #to: Addressed;
  readonly #content: Content;
  readonly #references: References;
  readonly #earlier: Resolved;
  readonly #received: readonly string[];
  readonly #keepsFiles: boolean;
  readonly #losses = new Losses();
  #texts: RichText[] = [];

  constructor(
    { title, text = UNLIMITED }: Channel,
    forms: Forms,
    { recipient, credentials, earlier = {}, received = [], keepsFiles = false }: Circumstances,
    content: Content,
    references: References,
  ) {
    this.#title = title;
    this.#forms = forms;
    this.#text = text;
    this.#earlier = earlier;
    this.#received = received;
    this.#keepsFiles = keepsFiles;
    this.#references = references;
    const heading = content.title;
    this.#to = { recipient, credentials, ...(heading !== undefined && { title: heading }) };
    this.#content = text.shows ? content : withoutLayout(content, text.isSms?.(this.#to) ?? false);
  }

  compose(): Composition {
    const { buttons } = this.#content;
    const { together } = this.#forms;
    const parts = this.#withButtons(buttons) ?? this.#wires(buttons);
    const wires = together && parts.length > 1 ? [together(parts)] : parts;
    this.#noteStructure();
    return { wires: this.#place(wires), losses: this.#losses.list, texts: this.#texts };
  }

  /** All of it, with a list of these buttons at its end. */
  #wires(listed: readonly Button[]): Wire[] {
    return this.#composed(listed).map((part) => this.#wire(part));
  }

  /** All of it, with these buttons as buttons; undefined when they cannot be. */
  #withButtons(buttons: readonly Button[]): Wire[] | undefined {
    if (buttons.length === 0) return this.#wires([]);
    const refusal = this.#refusalOf(buttons);
    const wires = refusal === undefined ? this.#addButtons(buttons) : { unfit: refusal };
    if (!('unfit' in wires)) return wires;
    this.#losses.add('buttons', wires.unfit);
    return undefined;
  }

  #composed(listed: readonly Button[]): Composed[] {
    this.#texts = [];
    const pieces = this.#content.pieces.flatMap((piece) => this.#carry(piece));
    const parts = merged(listed.length === 0 ? pieces : [...pieces, listOf(listed)]);
    return parts.flatMap((part) => (part.kind === 'text' ? this.#split(part.rich) : part));
  }

  /** A piece as it is where the channel can carry it; otherwise what becomes of it. */
  #carry(piece: Piece): Ready[] {
    if (piece.kind === 'text') return [piece];
    if (piece.kind === 'place') return this.#carryPlace(piece);
    return this.#carryMedia(piece);
  }

  #carryPlace(piece: PlacePiece): Ready[] {
    const { caption, latitude, longitude, name } = piece;
    const { place, namelessPlaces } = this.#forms;
    const where = { latitude, longitude, ...(name !== undefined && { name }) };
    const text: Ready[] = caption.length === 0 ? [] : [{ kind: 'text', rich: caption }];
    const wire = place?.(where, this.#to) ?? { unfit: `${this.#title} takes no places` };
    if ('unfit' in wire) {
      this.#losses.add('place', wire.unfit);
      return [{ kind: 'text', rich: unstyled(inWords(piece)) }, ...text];
    }
    if (!namelessPlaces || name === undefined) return [{ kind: 'wire', wire }, ...text];
    this.#losses.add('caption', `${this.#title} shows places without their names`);
    return [{ kind: 'wire', wire }, { kind: 'text', rich: unstyled(name) }, ...text];
  }

  #carryMedia(piece: MediaPiece): Ready[] {
    const { kind } = piece;
    const form = this.#forms[kind] ?? this.#forms.document;
    if (!form) {
      this.#losses.add(kind, `${this.#title} takes no ${PLURAL[kind]}`);
      return [inPlaceOf(piece)];
    }
    const { caption, kind: _, ...media } = piece;
    const written = this.#write(caption);
    const isShort = this.#text.measure(written) <= form.caption;
    const own = isShort ? { text: written, rich: caption } : NOTHING;
    const isReceived = this.#received.includes(media.url);
    const isKept = this.#keepsFiles;
    const part = { ...media, caption: own, ...(isReceived && { isReceived }) };
    const wire = form.compose(isKept ? { ...part, isKept } : part, this.#to);
    if ('unfit' in wire) {
      this.#losses.add(kind, wire.unfit);
      return [inPlaceOf(piece)];
    }
    if (!this.#forms[kind]) this.#losses.add('file', `${this.#title} takes no ${PLURAL[kind]}`);
    if (isShort) {
      this.#note(caption);
      return [{ kind: 'wire', wire }];
    }
    const most = form.caption === 0 ? 'none' : `at most ${form.caption}`;
    this.#losses.add('caption', `${this.#title} takes ${most} as a caption here`);
    return [
      { kind: 'wire', wire },
      { kind: 'text', rich: caption },
    ];
  }

  #split(text: RichText): Composed[] {
    const { most, measure, byLine = false } = this.#text;
    // A link that does not fit by itself would not fit in any slice of it.
    const rich = withoutLongLinks(text, (link) => measure(this.#write(link)) <= most);
    const characters = charactersOf(rich);
    const slice = slicerOf(rich);
    const fits = (start: number, end: number) => measure(this.#write(slice(start, end))) <= most;
    const ranges = splitRanges(characters, fits, byLine);
    if (ranges.length > 1) {
      const why = byLine ? 'takes one line at a time' : `takes at most ${most} in one message`;
      this.#losses.add('length', `${this.#title} ${why}`);
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

  /** Says so when looks are lost. */
  #note(rich: RichText): void {
    if (rich.length > 0) this.#texts.push(rich);
    if (isUnstyled(rich)) return;
    const say = (where: string) =>
      this.#losses.add('formatting', `${this.#title} shows nothing but text${where}`);
    if (!this.#text.write) say('');
    else if (this.#written(rich) === undefined) say(' to this recipient');
    else if (this.#text.clashes?.(rich, this.#to) === true) {
      const why = 'cannot write a look around its own sign';
      this.#losses.add('formatting', `${this.#title} ${why}`);
    }
  }

  /** Says what rich text cannot say, and what the channel does not show of it. */
  #noteStructure(): void {
    const { structure, pieces } = this.#content;
    const { shows = [], write } = this.#text;
    if (structure.hasTable && !shows.includes('tables')) {
      this.#losses.add('table', `${this.#title} shows no tables`);
    }
    if (structure.hasHeading && !shows.includes('headings') && write) {
      this.#losses.add('heading', `${this.#title} shows no headings`);
    }
    if (structure.hasNestedList && !shows.includes('lists')) {
      const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? piece.rich : piece.caption));
      if (this.#text.dropsIndents?.(texts) === true) {
        this.#losses.add('list', `${this.#title} shows no spaces at the beginning of a line`);
      }
    }
    if (structure.formatChanges > MAX_FORMAT_CHANGES) {
      const most = MAX_FORMAT_CHANGES.toLocaleString('en');
      this.#losses.add('formatting', `a message may change its formatting ${most} times`);
    }
    if (structure.hasDeadLink) {
      this.#losses.add('link', 'only http, https, mailto and tel addresses can be links');
    }
  }

  #wire(part: Composed): Wire {
    if (part.kind === 'wire') return part.wire;
    const wire = this.#forms.text(part.part, this.#to);
    const isSms = this.#text.isSms?.(this.#to) ?? false;
    return isSms ? { ...wire, segments: segmentsOf(part.part.text) } : wire;
  }

  /** Why these buttons cannot be buttons. */
  #refusalOf(buttons: readonly Button[]): string | undefined {
    if (buttons.length === 0) return undefined;
    const { buttons: form } = this.#forms;
    if (!form) return `${this.#title} has no buttons`;
    if (buttons.length > form.most) return `${this.#title} takes at most ${form.most} buttons`;
    const kinds = buttons.map(({ url }) => (url === undefined ? 'reply' : 'link'));
    const odd = kinds.find((kind) => !form.kinds.includes(kind));
    if (odd === 'link') return `${this.#title} has no buttons that lead somewhere`;
    if (odd === 'reply') return `${this.#title} has no buttons that say something`;
    const long = buttons.some(({ name }) => name.length > form.label);
    if (long) return `${this.#title} takes at most ${form.label} characters on a button`;
    const carriers = this.#content.pieces.some(({ kind }) => kind === 'text');
    return carriers || form.withMedia
      ? undefined
      : `${this.#title} shows buttons below a text only, and there is none`;
  }

  /** Below the last part that can have them. */
  #addButtons(buttons: readonly Button[]): Wire[] | Unfit {
    const form = this.#forms.buttons;
    const composed = this.#composed([]);
    const wires = composed.map((part) => this.#wire(part));
    const at = composed.findLastIndex(({ kind }) => kind === 'text' || form?.withMedia === true);
    const wire = wires[at];
    if (!form || !wire) return { unfit: `${this.#title} has nothing to put buttons below` };
    const added = form.add(wire, buttons);
    return 'unfit' in added ? added : wires.with(at, added);
  }

  /** Where in the conversation it stands: what it answers, and in which thread. */
  #place(wires: readonly Wire[]): Wire[] {
    const { reply: toReply, thread: toThread, title: hasTitle } = this.#forms;
    let placed = [...wires];
    const reply = this.#idOf('reply', toReply, 'replies');
    // Where an answer is a thread, all of it stands there.
    const isThread = toReply === toThread;
    if (toReply && reply !== undefined) {
      placed = placed.map((wire, i) =>
        i === 0 || isThread ? this.#fitting('reply', wire, toReply(wire, reply)) : wire,
      );
    }
    const thread = this.#idOf('thread', toThread, 'threads');
    if (toThread && thread !== undefined) {
      placed = placed.map((wire) => this.#fitting('thread', wire, toThread(wire, thread)));
    }
    if (this.#content.title !== undefined && hasTitle === undefined) {
      this.#losses.add('title', `${this.#title} has no titles`);
    }
    return placed;
  }

  /** As it was, where it cannot be placed. */
  #fitting(kind: 'reply' | 'thread', wire: Wire, placed: Wire | Unfit): Wire {
    if (!('unfit' in placed)) return placed;
    this.#losses.add(kind, placed.unfit);
    return wire;
  }

  /** What the channel calls the message that is answered, or the thread. */
  #idOf(kind: 'reply' | 'thread', form: unknown, plural: string): string | undefined {
    const name = this.#references[kind];
    if (name === undefined) return undefined;
    const known = this.#earlier[kind];
    if (!form) this.#losses.add(kind, `${this.#title} has no ${plural}`);
    else if (known?.length === 0) {
      this.#losses.add(kind, `nothing of ${name} is out, or ${this.#title} told no id of it`);
    }
    return known ? known[0] : name;
  }
}

/** A piece that a channel can carry, or a text that stands for it. */
type Ready = { kind: 'text'; rich: RichText } | { kind: 'wire'; wire: Wire };
type Composed = { kind: 'text'; part: TextPart } | { kind: 'wire'; wire: Wire };

const NOTHING: TextPart = { text: '', rich: [] };

const PLURAL = { image: 'images', video: 'videos', audio: 'audio', document: 'files' } as const;

/** Texts beside each other are one text. */
function merged(parts: readonly Ready[]): Ready[] {
  const result: ({ kind: 'text'; rich: Run[] } | Extract<Ready, { kind: 'wire' }>)[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind === 'wire') result.push(part);
    else if (last?.kind === 'text') last.rich.push(...unstyled('\n'), ...part.rich);
    else result.push({ kind: 'text', rich: [...part.rich] });
  }
  return result.map((part) =>
    part.kind === 'text' ? { kind: 'text', rich: joined(part.rich) } : part,
  );
}

function inPlaceOf(piece: MediaPiece): Ready {
  const { caption } = piece;
  const before = caption.length === 0 ? [] : [...caption, ...unstyled('\n')];
  return { kind: 'text', rich: joined([...before, ...unstyled(linkTo(piece))]) };
}

function inWords({ name = '', latitude, longitude }: PlacePiece): string {
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}`;
  return [name, `${latitude}, ${longitude}`, map].filter((line) => line !== '').join('\n');
}

function listOf(buttons: readonly Button[]): Ready {
  const lines = buttons.map(({ name, url }, i) => {
    const leads = url !== undefined && url !== name;
    return `${i + 1}. ${leads ? `${name}: ${url}` : name}`;
  });
  return { kind: 'text', rich: unstyled(lines.join('\n')) };
}
