/* The files of the visitor: how they get to the service, and how they are shown again. */

/** @typedef {import('./outbox.js').Sent} Sent */

export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_FILES = 10;

/** Pictures that a browser shows and that cannot do anything. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** @param {string} mediaType */
export const isPicture = (mediaType) => PICTURES.has(mediaType);

/** @param {number} bytes */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024
    ? `${Math.round(kilobytes)} KB`
    : `${(kilobytes / 1024).toFixed(1).replace('.0', '')} MB`;
}

export class Files {
  #address;
  #token;
  /** @type {Map<string, Promise<string>>} */ #shown = new Map();

  /** @param {string} address @param {() => string} token */
  constructor(address, token) {
    this.#address = address;
    this.#token = token;
  }

  /** @param {File} file @param {AbortSignal} signal @returns {Promise<Sent>} */
  async upload(file, signal) {
    const answer = await fetch(`${this.#address}?name=${encodeURIComponent(file.name)}`, {
      method: 'POST',
      headers: this.#headers(file.type || 'application/octet-stream'),
      body: file,
      signal,
    });
    if (answer.ok) return answer.json();
    const { code } = await answer.json().catch(() => ({}));
    throw new Error(
      code === 'rate_limited'
        ? 'That was a little fast. Please try again in a moment.'
        : code === 'chat_full'
          ? 'There is no room for more files.'
          : 'The file could not be sent.',
    );
  }

  /** Where the page has a file; the token is in no address. @param {Sent} file @returns {Promise<string>} */
  show({ id, mediaType }) {
    const shown = this.#shown.get(id) ?? this.#fetch(id, mediaType);
    this.#shown.set(id, shown);
    shown.catch(() => this.#shown.delete(id));
    return shown;
  }

  /** Has the browser keep a file. @param {Sent} file */
  async save(file) {
    const link = document.createElement('a');
    link.href = await this.show(file);
    link.download = file.name;
    link.click();
  }

  /** @param {string} id @param {string} mediaType */
  async #fetch(id, mediaType) {
    const answer = await fetch(`${this.#address}/${id}`, { headers: this.#headers() });
    if (!answer.ok) throw new Error('The file is not there any more.');
    // What is no picture is of no type that a browser would open.
    const type = isPicture(mediaType) ? mediaType : 'application/octet-stream';
    return URL.createObjectURL(new Blob([await answer.arrayBuffer()], { type }));
  }

  /** @param {string} [type] */
  #headers(type) {
    const authorization = `Bearer ${this.#token()}`;
    return type === undefined ? { authorization } : { authorization, 'content-type': type };
  }
}
