/*
 * The connection to the service: a session, and a socket that reconnects. Each connection starts with the latest
 * version that the page has, so that no entry is lost or repeated.
 */

/**
 * @typedef {'connecting' | 'open' | 'lost' | 'closed' | 'refused'} State
 * @typedef {{ visitor: string, token: string, signed: boolean, socket: string }} Session
 * @typedef {{ is: string, [name: string]: any }} Frame
 * @typedef {{
 *   base: string,
 *   id: string,
 *   identity: string | undefined,
 *   version(): number | undefined,
 *   onSession(session: Session): void,
 *   onFrame(frame: Frame): void,
 *   onState(state: State): void,
 * }} Options
 */

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Retry interval while the chat is closed. */
const CLOSED_RETRY_MS = 60_000;

export class Connection {
  /** @type {Options} */ #options;
  /** @type {WebSocket | undefined} */ #socket;
  /** @type {number | undefined} */ #timer;
  #retryMs = MIN_RETRY_MS;
  #isStarting = false;
  token = '';

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.token = (options.identity === undefined && readStored(this.#storageKey)) || '';
    // Reconnect at once when the network is back or the page is visible again.
    addEventListener('online', () => this.#retryNow());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#retryNow();
    });
  }

  get isOpen() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  /** Returns whether the frame was sent. @param {object} frame */
  send(frame) {
    if (!this.isOpen) return false;
    this.#socket?.send(JSON.stringify(frame));
    return true;
  }

  /** Drops a connection that no longer answers. */
  reconnect() {
    this.#socket?.close();
  }

  async open() {
    if (this.#isStarting || this.#socket) return;
    this.#isStarting = true;
    clearTimeout(this.#timer);
    try {
      const session = await this.#startSession();
      if (session) this.#openSocket(session);
    } catch {
      this.#retryLater();
    } finally {
      this.#isStarting = false;
    }
  }

  get #storageKey() {
    return `switchboard-chat-${this.#options.id}`;
  }

  async #startSession() {
    const { base, id, identity, onState, onSession } = this.#options;
    const credentials = identity === undefined ? { token: this.token || undefined } : { identity };
    const response = await fetch(`${base}/chat/${id}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    if (response.status === 401) {
      onState('refused');
      return undefined;
    }
    if (response.status === 429 || response.status >= 500) throw new Error('later');
    if (!response.ok) {
      onState('closed');
      this.#timer = setTimeout(() => this.open(), CLOSED_RETRY_MS);
      return undefined;
    }
    /** @type {Session} */
    const session = await response.json();
    this.token = session.token;
    // Visitors with a signed identity are identified by the application each time.
    if (!session.signed) store(this.#storageKey, session.token);
    onSession(session);
    return session;
  }

  /** @param {Session} session */
  #openSocket(session) {
    const { base, version, onFrame, onState } = this.#options;
    const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + base + session.socket);
    this.#socket = socket;
    socket.addEventListener('open', () => {
      const after = version();
      this.send({ do: 'hello', ...(after !== undefined && { after }) });
    });
    socket.addEventListener('message', ({ data }) => {
      /** @type {Frame} */
      const frame = JSON.parse(data);
      onFrame(frame);
      if (frame.is !== 'history' && frame.is !== 'resumed') return;
      this.#retryMs = MIN_RETRY_MS;
      onState('open');
    });
    socket.addEventListener('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#retryLater();
    });
  }

  #retryLater() {
    this.#options.onState('lost');
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.open(), this.#retryMs * (0.5 + Math.random()));
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }

  #retryNow() {
    if (this.#timer !== undefined && !this.#socket) void this.open();
  }
}

/** Undefined if the browser blocks storage; each page is then a new visitor. @param {string} key */
export function readStored(key) {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} key @param {string} value */
export function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The browser blocks storage.
  }
}
