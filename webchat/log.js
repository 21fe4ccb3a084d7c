import { byId } from './composer.js';
import { contentOf, dayOf, showEntry, timeOf } from './entries.js';
import { make } from './runs.js';

/* The conversation: entries, pending messages, scrolling, and what the visitor sees. */

/**
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./outbox.js').Item} Item
 * @typedef {{
 *   title: string,
 *   files: import('./files.js').Files,
 *   press(entry: number, button: number, name: string): void,
 *   loadEarlier(before: number): void,
 *   onScroll(): void,
 *   discard(key: string): void,
 * }} Options
 */

/** Within this distance, the log counts as scrolled to the end. */
const END_DISTANCE_PX = 80;
/** Consecutive entries of one author within this time are grouped. */
const GROUP_MS = 5 * 60_000;
/** An entry is in view if this much of it is visible. */
const VISIBLE_PX = 8;

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
  /** Whether the end stays in view when content is added. */
  #isAtEnd = true;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#scroller.addEventListener('scroll', () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX;
      if (this.#isAtEnd) this.#newest.hidden = true;
      options.onScroll();
    });
    // Keeps the end in view when an on-screen keyboard opens or the window is resized.
    new ResizeObserver(() => this.#keepEnd()).observe(this.#scroller);
    this.#earlier.addEventListener('click', () => options.loadEarlier(this.#numbers()[0] ?? 0));
    this.#newest.addEventListener('click', () => this.scrollToEnd());
  }

  get hasEntries() {
    return this.#shown.size > 0;
  }

  get lastOfApplication() {
    return Math.max(0, ...this.#ofApplication());
  }

  /** The last entry of the application that is visible or above the visible part. */
  get lastInView() {
    const end = this.#scroller.getBoundingClientRect().bottom;
    const isAbove = (/** @type {number} */ number) =>
      (this.#shown.get(number)?.item.getBoundingClientRect().top ?? end) < end - VISIBLE_PX;
    return this.#ofApplication().findLast(isAbove) ?? 0;
  }

  /** Number of entries of the application after this one. @param {number} number */
  countAfter(number) {
    return this.#ofApplication().filter(
      (each) => each > number && this.#shown.get(each)?.entry.body !== null,
    ).length;
  }

  /** @param {Entry[]} entries @param {boolean} hasMore */
  reset(entries, hasMore) {
    // Screen readers announce new entries only.
    this.#list.setAttribute('aria-live', 'off');
    this.#shown.clear();
    this.#list.replaceChildren();
    for (const entry of entries) this.#place(entry);
    this.#earlier.hidden = !hasMore;
    this.#arrange();
    this.scrollToEnd();
    requestAnimationFrame(() => this.#list.setAttribute('aria-live', 'polite'));
  }

  /** @param {Entry[]} entries @param {boolean} hasMore */
  addEarlier(entries, hasMore) {
    const { scrollHeight, scrollTop } = this.#scroller;
    this.#list.setAttribute('aria-live', 'off');
    for (const entry of entries) this.#place(entry);
    this.#earlier.hidden = !hasMore;
    this.#arrange();
    this.#scroller.scrollTop = scrollTop + this.#scroller.scrollHeight - scrollHeight;
    requestAnimationFrame(() => this.#list.setAttribute('aria-live', 'polite'));
  }

  /** Adds or updates an entry. @param {Entry} entry */
  put(entry) {
    const isNew = !this.#shown.has(entry.number);
    const [first = 0] = this.#numbers();
    // Earlier than the loaded entries: it is shown when they are loaded.
    if (isNew && entry.number < first) return;
    this.#place(entry);
    this.#arrange();
    if (isNew && !this.#isAtEnd && entry.by === 'application') this.#newest.hidden = false;
    this.#keepEnd();
  }

  /** @param {readonly Item[]} items */
  showPending(items) {
    for (const item of this.#pending) item.remove();
    const known = new Set(this.#entries().map(({ key }) => key));
    this.#pending = items.filter(({ key }) => !known.has(key)).map((item) => this.#pendingOf(item));
    this.#arrange();
    this.#keepEnd();
  }

  /** @param {boolean} isTyping */
  setTyping(isTyping) {
    this.#typing.hidden = !isTyping;
    this.#keepEnd();
  }

  scrollToEnd() {
    this.#isAtEnd = true;
    this.#newest.hidden = true;
    this.#keepEnd();
  }

  #keepEnd() {
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
      onResize: () => this.#keepEnd(),
    });
    before?.item.replaceWith(item);
    this.#shown.set(entry.number, { entry, item });
  }

  /** @param {Item} item */
  #pendingOf({ key, at, text, files, why }) {
    const { title, files: shown, discard } = this.#options;
    const context = {
      title,
      files: shown,
      entry: () => undefined,
      press() {},
      onResize: () => this.#keepEnd(),
    };
    const body = { text: text ? [{ text }] : [], files };
    const state = make('p', 'meta', why ? `Failed. ${why}` : `${timeOf(at)} · sending…`);
    const pending = make(
      'li',
      'entry visitor pending',
      make('div', 'bubble', ...contentOf(body, context)),
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

  /** Orders the list: day headings, groups, pending messages; hides quick replies that were answered. */
  #arrange() {
    const entries = this.#entries();
    const lastByVisitor = entries.findLast(({ by }) => by === 'visitor')?.number ?? 0;
    /** @type {HTMLElement[]} */
    const items = [];
    entries.forEach((entry, i) => {
      const [before, after] = [entries[i - 1], entries[i + 1]];
      const { item } = this.#shown.get(entry.number) ?? {};
      if (!item) return;
      if (!before || dayOf(before.at) !== dayOf(entry.at)) items.push(this.#day(dayOf(entry.at)));
      item.classList.toggle('grouped', areGrouped(before, entry));
      item.classList.toggle('followed', areGrouped(entry, after));
      item.classList.toggle('answered', entry.number < lastByVisitor || this.#pending.length > 0);
      items.push(item);
    });
    items.push(...this.#pending);
    // Only misplaced items are moved: others would be announced again or lose the focus.
    items.forEach((item, i) => {
      if (this.#list.children[i] !== item)
        this.#list.insertBefore(item, this.#list.children[i] ?? null);
    });
    while (this.#list.children.length > items.length) this.#list.lastChild?.remove();
    this.#empty.hidden = items.length > 0;
  }
}

/** @param {Entry | undefined} one @param {Entry | undefined} other */
function areGrouped(one, other) {
  if (!one || !other || one.by !== other.by) return false;
  return other.at - one.at < GROUP_MS && dayOf(one.at) === dayOf(other.at);
}
