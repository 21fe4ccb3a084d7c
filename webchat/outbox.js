import { readStored, store } from './connection.js';

/*
 * Messages that the service has not confirmed yet. They survive a reload and are sent again under the same key, one
 * at a time, so that they keep their order.
 */

/**
 * @typedef {{ id: string, name: string, mediaType: string, size: number }} SentFile
 * @typedef {{
 *   key: string,
 *   at: number,
 *   text: string,
 *   files: SentFile[],
 *   press?: { entry: number, button: number },
 *   why?: string,
 * }} Item
 * @typedef {{ send(frame: object): boolean, onChange(): void, onTimeout(): void }} Options
 */

/** Without a response for this long, the connection counts as dead. */
const RESPONSE_TIMEOUT_MS = 15_000;

export class Outbox {
  /** @type {Item[]} */ items = [];
  /** @type {Options} */ #options;
  #storageKey = '';
  /** Key of the item in flight. @type {string | undefined} */ #inFlight;
  /** @type {number | undefined} */ #timer;

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
  }

  /** Restores unconfirmed messages of the same visitor. @param {string} visitor */
  open(visitor) {
    const storageKey = `switchboard-outbox-${visitor}`;
    if (storageKey === this.#storageKey) return;
    this.#storageKey = storageKey;
    try {
      /** @type {Item[]} */
      const stored = JSON.parse(readStored(storageKey) ?? '[]');
      this.items = [...stored, ...this.items];
    } catch {
      // Not written by this script.
    }
    // Also stores the messages that were written before the visitor was known.
    this.#save();
  }

  /** @param {Omit<Item, 'key' | 'at'>} message */
  add(message) {
    this.items.push({ ...message, key: newKey(), at: Date.now() });
    this.#save();
    this.flush();
  }

  /** Sends the first waiting item, unless one is in flight. */
  flush() {
    const item = this.items.find(({ why }) => why === undefined);
    if (!item || this.#inFlight !== undefined) return;
    const { key, text, files, press } = item;
    const frame = press
      ? { do: 'press', key, ...press }
      : { do: 'say', key, text, files: files.map(({ id }) => id) };
    if (!this.#options.send(frame)) return;
    this.#inFlight = key;
    this.#timer = setTimeout(() => this.#options.onTimeout(), RESPONSE_TIMEOUT_MS);
  }

  /** After a reconnect: the item in flight is sent again, because its response is lost. */
  restart() {
    this.#settle(this.#inFlight);
    this.flush();
  }

  /** The service has the item. @param {string} key */
  done(key) {
    if (!this.items.some((item) => item.key === key)) return;
    this.items = this.items.filter((item) => item.key !== key);
    this.#settle(key);
    this.#save();
    this.flush();
  }

  /** With `seconds`, the item is retried after that time. @param {string} key @param {string} why @param {number | undefined} seconds */
  refused(key, why, seconds) {
    const item = this.items.find((one) => one.key === key);
    if (!item) return;
    if (seconds === undefined) {
      item.why = why;
      this.#settle(key);
      this.#save();
      return this.flush();
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.restart(), seconds * 1000);
  }

  /** @param {string | undefined} key */
  #settle(key) {
    if (this.#inFlight !== key) return;
    clearTimeout(this.#timer);
    this.#inFlight = undefined;
  }

  #save() {
    if (this.#storageKey) store(this.#storageKey, JSON.stringify(this.items));
    this.#options.onChange();
  }
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
