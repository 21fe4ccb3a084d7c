/* Files of the visitor: upload, preview and download. */

/** @typedef {import('./outbox.js').SentFile} SentFile */

export const MAX_BYTES = 10 * 1024 * 1024;
export const MAX_FILES = 10;

/** Image types without scripts; SVG is missing on purpose. */
const IMAGES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

/** @param {string} mediaType */
export const isImage = (mediaType) => IMAGES.has(mediaType);

/** @param {number} bytes */
export function sizeOf(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024
    ? `${Math.round(kilobytes)} KB`
    : `${(kilobytes / 1024).toFixed(1).replace('.0', '')} MB`;
}

export class Files {
  #url;
  #token;
  /** Object URLs by file id. @type {Map<string, Promise<string>>} */ #urls = new Map();

  /** @param {string} url @param {() => string} token */
  constructor(url, token) {
    this.#url = url;
    this.#token = token;
  }

  /** @param {File} file @param {AbortSignal} signal @returns {Promise<SentFile>} */
  async upload(file, signal) {
    const response = await fetch(`${this.#url}?name=${encodeURIComponent(file.name)}`, {
      method: 'POST',
      headers: this.#headers(file.type || 'application/octet-stream'),
      body: file,
      signal,
    });
    if (response.ok) return response.json();
    const { code } = await response.json().catch(() => ({}));
    throw new Error(
      code === 'rate_limited'
        ? 'Too many files at once. Please wait a moment and try again.'
        : code === 'chat_full'
          ? 'The storage for files is full.'
          : 'Upload failed. Please try again.',
    );
  }

  /** Object URL of a file. Fetched with a header, so that no URL contains the token. @param {SentFile} file @returns {Promise<string>} */
  load({ id, mediaType }) {
    const url = this.#urls.get(id) ?? this.#fetch(id, mediaType);
    this.#urls.set(id, url);
    url.catch(() => this.#urls.delete(id));
    return url;
  }

  /** Downloads a file. @param {SentFile} file */
  async save(file) {
    const link = document.createElement('a');
    link.href = await this.load(file);
    link.download = file.name;
    link.click();
  }

  /** @param {string} id @param {string} mediaType */
  async #fetch(id, mediaType) {
    const response = await fetch(`${this.#url}/${id}`, { headers: this.#headers() });
    if (!response.ok) throw new Error('Loading the file failed.');
    // Other files get a type that browsers save instead of opening.
    const type = isImage(mediaType) ? mediaType : 'application/octet-stream';
    return URL.createObjectURL(new Blob([await response.arrayBuffer()], { type }));
  }

  /** @param {string} [type] */
  #headers(type) {
    const authorization = `Bearer ${this.#token()}`;
    return type === undefined ? { authorization } : { authorization, 'content-type': type };
  }
}
