import { MAX_BYTES, MAX_FILES, isImage, sizeOf } from './files.js';
import { make } from './runs.js';

/* The input area: text and attached files. */

/**
 * @typedef {import('./outbox.js').SentFile} SentFile
 * @typedef {{ chip: HTMLElement, abort: AbortController, sent?: SentFile }} Attachment
 */

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Composer {
  #files;
  #onSend;
  /** @type {Set<Attachment>} */ #attachments = new Set();
  #text = /** @type {HTMLTextAreaElement} */ (byId('text'));
  #send = /** @type {HTMLButtonElement} */ (byId('send'));
  #picker = /** @type {HTMLInputElement} */ (byId('picker'));
  #notice = byId('notice');

  /**
   * @param {import('./files.js').Files} files
   * @param {(message: { text: string, files: SentFile[] }) => void} onSend
   */
  constructor(files, onSend) {
    this.#files = files;
    this.#onSend = onSend;
    const form = byId('composer');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('input', () => this.#update());
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      // On a touch screen, Enter starts a new line, because there is no Shift+Enter.
      if (matchMedia('(pointer: coarse)').matches) return;
      event.preventDefault();
      this.#submit();
    });
    byId('attach').addEventListener('click', () => this.#picker.click());
    this.#picker.addEventListener('change', () => {
      this.#add(this.#picker.files);
      this.#picker.value = '';
    });
    this.#text.addEventListener('paste', ({ clipboardData }) => {
      if (clipboardData?.files.length) this.#add(clipboardData.files);
    });
    document.addEventListener('dragover', (event) => event.preventDefault());
    document.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#add(event.dataTransfer?.files ?? null);
    });
    this.#update();
  }

  focus() {
    this.#text.focus();
  }

  /** @param {string} text */
  #showNotice(text) {
    this.#notice.textContent = text;
    this.#notice.hidden = text === '';
  }

  #submit() {
    const text = this.#text.value.trim();
    const attachments = [...this.#attachments];
    const files = attachments.flatMap(({ sent }) => sent ?? []);
    if (files.length < attachments.length || (text === '' && files.length === 0)) return;
    for (const attachment of attachments) this.#remove(attachment);
    this.#text.value = '';
    this.#showNotice('');
    this.#update();
    this.#onSend({ text, files });
    this.focus();
  }

  #update() {
    const isReady = [...this.#attachments].every(({ sent }) => sent);
    const isEmpty = this.#text.value.trim() === '' && this.#attachments.size === 0;
    this.#send.disabled = isEmpty || !isReady;
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }

  /** @param {FileList | null} list */
  #add(list) {
    this.#showNotice('');
    for (const file of list ?? []) {
      if (file.size > MAX_BYTES)
        this.#showNotice(`${file.name} is too large. The limit is ${sizeOf(MAX_BYTES)}.`);
      else if (file.size === 0) this.#showNotice(`${file.name} is empty.`);
      else if (this.#attachments.size >= MAX_FILES)
        this.#showNotice(`You can send up to ${MAX_FILES} files at once.`);
      else void this.#upload(file);
    }
  }

  /** @param {File} file */
  async #upload(file) {
    const { chip, remove } = chipOf(file);
    /** @type {Attachment} */
    const attachment = { chip, abort: new AbortController() };
    this.#attachments.add(attachment);
    byId('files').append(chip);
    remove.addEventListener('click', () => {
      this.#remove(attachment);
      this.focus();
    });
    this.#update();
    try {
      attachment.sent = await this.#files.upload(file, attachment.abort.signal);
      chip.classList.remove('busy');
    } catch (error) {
      if (!attachment.abort.signal.aborted) {
        this.#showNotice(
          error instanceof Error ? error.message : 'Upload failed. Please try again.',
        );
      }
      this.#remove(attachment);
    }
    this.#update();
  }

  /** @param {Attachment} attachment */
  #remove(attachment) {
    if (!this.#attachments.delete(attachment)) return;
    attachment.abort.abort();
    attachment.chip.remove();
    this.#update();
  }
}

/** @param {File} file */
function chipOf(file) {
  const remove = make('button', 'remove', '×');
  remove.type = 'button';
  remove.setAttribute('aria-label', `Remove ${file.name}`);
  const name = make('span', 'name', file.name);
  const chip = make('li', 'chip busy', name, make('span', 'size', sizeOf(file.size)), remove);
  if (isImage(file.type)) {
    const image = make('img');
    image.alt = '';
    image.src = URL.createObjectURL(file);
    image.addEventListener('load', () => URL.revokeObjectURL(image.src));
    chip.prepend(image);
  }
  return { chip, remove };
}
