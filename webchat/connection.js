/*
 * The way to the service: who the visitor is, and a socket that is opened again whenever it is lost. What the
 * page has seen up to now is said at each opening, so that nothing is lost and nothing comes twice.
 */

/**
 * @typedef {'connecting' | 'open' | 'lost' | 'closed' | 'refused'} State
 * @typedef {{ visitor: string, token: string, signed: boolean, socket: string }} Visit
 * @typedef {{ is: string, [name: string]: any }} Frame
 * @typedef {{
 *   base: string,
 *   id: string,
 *   identity: string | undefined,
 *   after(): number | undefined,
 *   met(visit: Visit): void,
 *   told(frame: Frame): void,
 *   became(state: State): void,
 * }} Options
 */

const SHORTEST = 500;
const LONGEST = 30_000;
/** How long to wait before a chat that is closed is asked again. */
const CLOSED = 60_000;

export class Connection {
  /** @type {Options} */ #options;
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {number | undefined} */ #timer;
  #wait = SHORTEST;
  #isBeginning = false;
  token = '';

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.token = (options.identity === undefined && remembered(this.#place)) || '';
    // A network that is back, or a page that is looked at again, is a reason not to wait any longer.
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#hurry();
    });
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Answers whether it went out. @param {object} frame */
  tell(frame) {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  /** Opens it anew: nobody has answered for too long. */
  renew() {
    this.#socket?.close();
  }

  async open() {
    if (this.#isBeginning || this.#socket) return;
    this.#isBeginning = true;
    clearTimeout(this.#timer);
    try {
      const visit = await this.#begin();
      if (visit) this.#listen(visit);
    } catch {
      this.#later();
    } finally {
      this.#isBeginning = false;
    }
  }

  get #place() {
    return `switchboard-chat-${this.#options.id}`;
  }

  async #begin() {
    const { base, id, identity, became, met } = this.#options;
    const proof = identity === undefined ? { token: this.token || undefined } : { identity };
    const answer = await fetch(`${base}/chat/${id}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(proof),
    });
    if (answer.status === 401) {
      became('refused');
      return undefined;
    }
    if (answer.status === 429 || answer.status >= 500) throw new Error('later');
    if (!answer.ok) {
      became('closed');
      this.#timer = setTimeout(() => this.open(), CLOSED);
      return undefined;
    }
    /** @type {Visit} */
    const visit = await answer.json();
    this.token = visit.token;
    // Somebody whom the application knows has to be named by it each time.
    if (!visit.signed) remember(this.#place, visit.token);
    met(visit);
    return visit;
  }

  /** @param {Visit} visit */
  #listen(visit) {
    const { base, after, told, became } = this.#options;
    const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + base + visit.socket);
    this.#socket = socket;
    socket.addEventListener('open', () => {
      const version = after();
      this.tell({ do: 'hello', ...(version !== undefined && { after: version }) });
    });
    socket.addEventListener('message', ({ data }) => {
      /** @type {Frame} */
      const frame = JSON.parse(data);
      told(frame);
      if (frame.is !== 'history' && frame.is !== 'resumed') return;
      this.#wait = SHORTEST;
      became('open');
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#later();
    });
  }

  #later() {
    this.#options.became('lost');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.open(), this.#wait * (0.5 + Math.random()));
    this.#wait = Math.min(this.#wait * 2, LONGEST);
  }

  #hurry() {
    if (this.#timer !== undefined && !this.#socket) void this.open();
  }
}

/** Where nothing may be kept, a page is a visitor of its own. @param {string} place */
export function remembered(place) {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} place @param {string} value */
export function remember(place, value) {
  try {
    localStorage.setItem(place, value);
  } catch {
    // It is not kept then.
  }
}
