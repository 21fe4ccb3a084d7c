/*
 * The site that embeds the chat. Both sides exchange only these messages: the site says whether the chat is open; the
 * chat reports the number of unread messages and asks to be closed.
 */

export class Site {
  /** Declared by the site; messages go to this origin only. */
  #origin;
  isOpen = true;

  /** @param {string | undefined} origin @param {(isOpen: boolean) => void} onToggle */
  constructor(origin, onToggle) {
    this.#origin = origin;
    if (origin === undefined || parent === window) return;
    this.isOpen = false;
    addEventListener('message', ({ source, origin: sender, data }) => {
      if (source !== parent || sender !== origin) return;
      const state = data?.switchboard;
      if (state !== 'open' && state !== 'closed') return;
      this.isOpen = state === 'open';
      onToggle(this.isOpen);
    });
  }

  get isEmbedded() {
    return this.#origin !== undefined && parent !== window;
  }

  close() {
    this.#post({ switchboard: 'close' });
  }

  ready() {
    this.#post({ switchboard: 'ready' });
  }

  /** @param {number} count @param {boolean} isBegun */
  setUnread(count, isBegun) {
    this.#post({ switchboard: 'unread', count, isBegun });
  }

  /** @param {object} message */
  #post(message) {
    if (this.#origin !== undefined && parent !== window) parent.postMessage(message, this.#origin);
  }
}
