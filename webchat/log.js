import { byId } from './composer.js';
import { contentOf, dayOf, showEntry, timeOf } from './entries.js';
import { make } from './runs.js';

/* The conversation: its entries in their order, what is on its way, and how far the visitor sees. */

/**
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./outbox.js').Item} Item
 * @typedef {{
 *   title: string,
 *   files: import('./files.js').Files,
 *   press(entry: number, button: number, name: string): void,
 *   earlier(before: number): void,
 *   seen(): void,
 *   discard(key: string): void,
 * }} Options
 */

/** How far from the end still counts as the end. */
const NEAR = 80;
/** Entries of one author within this many milliseconds are grouped. */
const TOGETHER = 5 * 60_000;

export class Log {
  /** @type {Options} */ #options;
  /** @type {Map<number, { entry: Entry, item: HTMLLIElement }>} */ #shown = new Map();
  /** @type {HTMLLIElement[]} */ #pending = [];
  /** @type {Map<string, HTMLLIElement>} */ #days = new Map();
  #list = byId('log');
  #scroller = byId('scroller');
  #earlier = byId('earlier');
  #newest = byId('newest');
  #empty = byId('empty');
  #typing = byId('typing');
  /** Whether the end is to stay in view, whatever grows. */
  #isAtEnd = true;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#scroller.addEventListener('scroll', () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR;
      if (this.#isAtEnd) this.#newest.hidden = true;
      options.seen();
    });
    // A keyboard that comes up, or a window that changes, leaves the end in view.
    new ResizeObserver(() => this.#stay()).observe(this.#scroller);
    this.#earlier.addEventListener('click', () => options.earlier(this.#numbers()[0] ?? 0));
    this.#newest.addEventListener('click', () => this.toEnd());
  }

  /** Whether anything was ever said. */
  get isBegun() {
    return this.#shown.size > 0;
  }

  get lastOfApplication() {
    return Math.max(0, ...this.#ofApplication());
  }

  /** The last of the application's entries that can be seen, or that the visitor has scrolled past. */
  get lastInView() {
    const end = this.#scroller.getBoundingClientRect().bottom;
    const isSeen = (/** @type {number} */ number) =>
      (this.#shown.get(number)?.item.getBoundingClientRect().top ?? end) < end - 8;
    return this.#ofApplication().findLast(isSeen) ?? 0;
  }

  /** How many the application has said after that. @param {number} number */
  countAfter(number) {
    return this.#ofApplication().filter(
      (each) => each > number && this.#shown.get(each)?.entry.body !== null,
    ).length;
  }

  /** @param {Entry[]} entries @param {boolean} isMore */
  begin(entries, isMore) {
    // What is read out is what comes, not what was there.
    this.#list.setAttribute('aria-live', 'off');
    this.#shown.clear();
    this.#list.replaceChildren();
    for (const entry of entries) this.#place(entry);
    this.#earlier.hidden = !isMore;
    this.#arrange();
    this.toEnd();
    requestAnimationFrame(() => this.#list.setAttribute('aria-live', 'polite'));
  }

  /** @param {Entry[]} entries @param {boolean} isMore */
  addEarlier(entries, isMore) {
    const { scrollHeight, scrollTop } = this.#scroller;
    this.#list.setAttribute('aria-live', 'off');
    for (const entry of entries) this.#place(entry);
    this.#earlier.hidden = !isMore;
    this.#arrange();
    this.#scroller.scrollTop = scrollTop + this.#scroller.scrollHeight - scrollHeight;
    requestAnimationFrame(() => this.#list.setAttribute('aria-live', 'polite'));
  }

  /** One that is new, or is as it now stands. @param {Entry} entry */
  put(entry) {
    const isNew = !this.#shown.has(entry.number);
    const [first = 0] = this.#numbers();
    // A change of what is not shown is seen when it is.
    if (isNew && entry.number < first) return;
    this.#place(entry);
    this.#arrange();
    if (isNew && !this.#isAtEnd && entry.by === 'application') this.#newest.hidden = false;
    this.#stay();
  }

  /** @param {readonly Item[]} items */
  showPending(items) {
    for (const item of this.#pending) item.remove();
    const known = new Set(this.#entries().map(({ key }) => key));
    this.#pending = items.filter(({ key }) => !known.has(key)).map((item) => this.#pendingOf(item));
    this.#arrange();
    this.#stay();
  }

  /** @param {boolean} isTyping */
  setTyping(isTyping) {
    this.#typing.hidden = !isTyping;
    this.#stay();
  }

  toEnd() {
    this.#isAtEnd = true;
    this.#newest.hidden = true;
    this.#stay();
  }

  #stay() {
    if (this.#isAtEnd) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #numbers() {
    return [...this.#shown.keys()].toSorted((a, b) => a - b);
  }

  #entries() {
    return this.#numbers().flatMap((number) => this.#shown.get(number)?.entry ?? []);
  }

  #ofApplication() {
    return this.#entries().flatMap(({ by, number }) => (by === 'application' ? [number] : []));
  }

  /** @param {Entry} entry */
  #place(entry) {
    const before = this.#shown.get(entry.number);
    if (before && before.entry.version >= entry.version) return;
    const { title, files, press } = this.#options;
    const item = showEntry(entry, {
      title,
      files,
      press,
      entry: (number) => this.#shown.get(number)?.entry,
      grown: () => this.#stay(),
    });
    before?.item.replaceWith(item);
    this.#shown.set(entry.number, { entry, item });
  }

  /** @param {Item} item */
  #pendingOf({ key, at, text, files, why }) {
    const { title, files: shown, discard } = this.#options;
    const around = {
      title,
      files: shown,
      entry: () => undefined,
      press() {},
      grown: () => this.#stay(),
    };
    const body = { text: text ? [{ text }] : [], files };
    const state = make('p', 'meta', why ? `Not sent. ${why}` : `${timeOf(at)} · sending…`);
    const pending = make(
      'li',
      'entry visitor pending',
      make('div', 'bubble', ...contentOf(body, around)),
      state,
    );
    if (why !== undefined) {
      pending.classList.add('failed');
      const remove = make('button', 'discard', 'Remove');
      remove.type = 'button';
      remove.addEventListener('click', () => discard(key));
      state.append(' ', remove);
    }
    return pending;
  }

  /** @param {string} name */
  #day(name) {
    const day = this.#days.get(name) ?? make('li', 'day', name);
    this.#days.set(name, day);
    return day;
  }

  /** Puts everything in its place: days, what stands together, and which answers are still on offer. */
  #arrange() {
    const entries = this.#entries();
    const lastSaid = entries.findLast(({ by }) => by === 'visitor')?.number ?? 0;
    /** @type {HTMLElement[]} */
    const items = [];
    entries.forEach((entry, i) => {
      const [before, after] = [entries[i - 1], entries[i + 1]];
      const { item } = this.#shown.get(entry.number) ?? {};
      if (!item) return;
      if (!before || dayOf(before.at) !== dayOf(entry.at)) items.push(this.#day(dayOf(entry.at)));
      item.classList.toggle('goes-on', areTogether(before, entry));
      item.classList.toggle('is-followed', areTogether(entry, after));
      item.classList.toggle('answered', entry.number < lastSaid || this.#pending.length > 0);
      items.push(item);
    });
    items.push(...this.#pending);
    // What stands where it should is left alone, so that nothing is read out twice and nothing loses its focus.
    items.forEach((item, i) => {
      if (this.#list.children[i] !== item)
        this.#list.insertBefore(item, this.#list.children[i] ?? null);
    });
    while (this.#list.children.length > items.length) this.#list.lastChild?.remove();
    this.#empty.hidden = items.length > 0;
  }
}

/** @param {Entry | undefined} one @param {Entry | undefined} other */
function areTogether(one, other) {
  if (!one || !other || one.by !== other.by) return false;
  return other.at - one.at < TOGETHER && dayOf(one.at) === dayOf(other.at);
}
