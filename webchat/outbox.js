import { remember, remembered } from './connection.js';

/*
 * What the visitor has said and nobody has confirmed yet. It is kept over a reload, and said again, under the
 * same key, until the service has it: one after the other, so that it stays in its order.
 */

/**
 * @typedef {{ id: string, name: string, mediaType: string, size: number }} Sent
 * @typedef {{
 *   key: string,
 *   at: number,
 *   text: string,
 *   files: Sent[],
 *   press?: { entry: number, button: number },
 *   why?: string,
 * }} Item
 */

/** How long to wait for an answer before the connection is taken for dead. */
const ANSWER_TIMEOUT_MS = 15_000;

export class Outbox {
  /** @type {Item[]} */ items = [];
  /** @type {{ tell(frame: object): boolean, changed(): void, unanswered(): void }} */ #options;
  #place = '';
  /** @type {string | undefined} */ #waitingFor;
  /** @type {number | undefined} */ #timer;

  /** @param {{ tell(frame: object): boolean, changed(): void, unanswered(): void }} options */
  constructor(options) {
    this.#options = options;
  }

  /** Takes up what was left by an earlier page of the same visitor. @param {string} visitor */
  open(visitor) {
    const place = `switchboard-outbox-${visitor}`;
    if (place === this.#place) return;
    this.#place = place;
    try {
      /** @type {Item[]} */
      const kept = JSON.parse(remembered(place) ?? '[]');
      this.items = [...kept, ...this.items];
    } catch {
      // Whatever it was, it was not ours.
    }
    this.#options.changed();
  }

  /** @param {Omit<Item, 'key' | 'at'>} said */
  add(said) {
    this.items.push({ ...said, key: newKey(), at: Date.now() });
    this.#keep();
    this.flush();
  }

  /** Says the first that is left, if nothing is under way. */
  flush() {
    const item = this.items.find(({ why }) => why === undefined);
    if (!item || this.#waitingFor !== undefined) return;
    const { key, text, files, press } = item;
    const frame = press
      ? { do: 'press', key, ...press }
      : { do: 'say', key, text, files: files.map(({ id }) => id) };
    if (!this.#options.tell(frame)) return;
    this.#waitingFor = key;
    this.#timer = setTimeout(() => this.#options.unanswered(), ANSWER_TIMEOUT_MS);
  }

  /** The connection is another one: nobody will answer what was said by the last. */
  restart() {
    this.#settle(this.#waitingFor);
    this.flush();
  }

  /** It is there. @param {string} key */
  done(key) {
    if (!this.items.some((item) => item.key === key)) return;
    this.items = this.items.filter((item) => item.key !== key);
    this.#settle(key);
    this.#keep();
    this.flush();
  }

  /** @param {string} key @param {string} why @param {number | undefined} seconds */
  refused(key, why, seconds) {
    const item = this.items.find((one) => one.key === key);
    if (!item) return;
    if (seconds === undefined) {
      item.why = why;
      this.#settle(key);
      this.#keep();
      return this.flush();
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.restart(), seconds * 1000);
  }

  /** @param {string | undefined} key */
  #settle(key) {
    if (this.#waitingFor !== key) return;
    clearTimeout(this.#timer);
    this.#waitingFor = undefined;
  }

  #keep() {
    if (this.#place) remember(this.#place, JSON.stringify(this.items));
    this.#options.changed();
  }
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
