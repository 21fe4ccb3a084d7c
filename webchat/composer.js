import { MAX_BYTES, MAX_FILES, isPicture, sizeOf } from './files.js';
import { make } from './runs.js';

/* Where the visitor writes: a text, and the files that go with it. */

/**
 * @typedef {import('./outbox.js').Sent} Sent
 * @typedef {{ chip: HTMLElement, abort: AbortController, sent?: Sent }} Added
 */

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

export class Composer {
  #files;
  #say;
  /** @type {Set<Added>} */ #added = new Set();
  #text = /** @type {HTMLTextAreaElement} */ (byId('text'));
  #send = /** @type {HTMLButtonElement} */ (byId('send'));
  #picker = /** @type {HTMLInputElement} */ (byId('picker'));
  #notice = byId('notice');

  /**
   * @param {import('./files.js').Files} files
   * @param {(said: { text: string, files: Sent[] }) => void} say
   */
  constructor(files, say) {
    this.#files = files;
    this.#say = say;
    const form = byId('composer');
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('input', () => this.#changed());
    this.#text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      // On a touch screen, Enter is the only way to another line.
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
    this.#changed();
  }

  focus() {
    this.#text.focus();
  }

  /** @param {string} text */
  notice(text) {
    this.#notice.textContent = text;
    this.#notice.hidden = text === '';
  }

  #submit() {
    const text = this.#text.value.trim();
    const added = [...this.#added];
    const files = added.flatMap(({ sent }) => sent ?? []);
    if (files.length < added.length || (text === '' && files.length === 0)) return;
    for (const each of added) this.#remove(each);
    this.#text.value = '';
    this.notice('');
    this.#changed();
    this.#say({ text, files });
    this.focus();
  }

  #changed() {
    const isReady = [...this.#added].every(({ sent }) => sent);
    const isEmpty = this.#text.value.trim() === '' && this.#added.size === 0;
    this.#send.disabled = isEmpty || !isReady;
    this.#text.style.height = 'auto';
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }

  /** @param {FileList | null} list */
  #add(list) {
    this.notice('');
    for (const file of list ?? []) {
      if (file.size > MAX_BYTES) this.notice(`${file.name} is larger than ${sizeOf(MAX_BYTES)}.`);
      else if (file.size === 0) this.notice(`${file.name} is empty.`);
      else if (this.#added.size >= MAX_FILES) this.notice(`Up to ${MAX_FILES} files at once.`);
      else void this.#upload(file);
    }
  }

  /** @param {File} file */
  async #upload(file) {
    const { chip, remove } = chipOf(file);
    /** @type {Added} */
    const added = { chip, abort: new AbortController() };
    this.#added.add(added);
    byId('files').append(chip);
    remove.addEventListener('click', () => {
      this.#remove(added);
      this.focus();
    });
    this.#changed();
    try {
      added.sent = await this.#files.upload(file, added.abort.signal);
      chip.classList.remove('busy');
    } catch (error) {
      if (!added.abort.signal.aborted) {
        this.notice(error instanceof Error ? error.message : 'The file could not be sent.');
      }
      this.#remove(added);
    }
    this.#changed();
  }

  /** @param {Added} added */
  #remove(added) {
    if (!this.#added.delete(added)) return;
    added.abort.abort();
    added.chip.remove();
    this.#changed();
  }
}

/** @param {File} file */
function chipOf(file) {
  const remove = make('button', 'remove', '×');
  remove.type = 'button';
  remove.setAttribute('aria-label', `Remove ${file.name}`);
  const name = make('span', 'name', file.name);
  const chip = make('li', 'chip busy', name, make('span', 'size', sizeOf(file.size)), remove);
  if (isPicture(file.type)) {
    const image = make('img');
    image.alt = '';
    image.src = URL.createObjectURL(file);
    image.addEventListener('load', () => URL.revokeObjectURL(image.src));
    chip.prepend(image);
  }
  return { chip, remove };
}
