/*
 * The site that the chat is on. The two see nothing of each other but these words: the site says whether the
 * chat is open, and the chat how much is unread, and that it wants to be closed.
 */

export class Site {
  /** Where the site is, by its own word; what is told goes there and nowhere else. */
  #origin;
  isOpen = true;

  /** @param {string | undefined} origin @param {(isOpen: boolean) => void} turned */
  constructor(origin, turned) {
    this.#origin = origin;
    if (origin === undefined || parent === window) return;
    this.isOpen = false;
    addEventListener('message', ({ source, origin: from, data }) => {
      if (source !== parent || from !== origin) return;
      const word = data?.switchboard;
      if (word !== 'open' && word !== 'closed') return;
      this.isOpen = word === 'open';
      turned(this.isOpen);
    });
  }

  get isThere() {
    return this.#origin !== undefined && parent !== window;
  }

  close() {
    this.#tell({ switchboard: 'close' });
  }

  ready() {
    this.#tell({ switchboard: 'ready' });
  }

  /** @param {number} count @param {boolean} isBegun */
  unread(count, isBegun) {
    this.#tell({ switchboard: 'unread', count, isBegun });
  }

  /** @param {object} word */
  #tell(word) {
    if (this.#origin !== undefined && parent !== window) parent.postMessage(word, this.#origin);
  }
}
