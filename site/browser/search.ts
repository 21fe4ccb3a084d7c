import type MiniSearch from 'minisearch';

import { element } from './element.ts';
import type { Entry, Result } from './search-engine.ts';

/* The search dialog. The index is loaded when it is opened for the first time. */

interface Engine {
  index: MiniSearch<Entry>;
  find(index: MiniSearch<Entry>, query: string): Result[];
}

let engine: Promise<Engine> | undefined;

async function loadEngine(): Promise<Engine> {
  const address = document.body.dataset['searchIndex'] ?? '';
  const [module, response] = await Promise.all([import('./search-engine.ts'), fetch(address)]);
  if (!response.ok) throw new Error(`the search index answers ${response.status}`);
  return { index: module.readIndex(await response.text()), find: module.find };
}

export function addSearch(tools: Element): void {
  const input = element('input', {
    type: 'search',
    'aria-label': 'Search the documentation',
    placeholder: 'Search the documentation',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const status = element('p', { role: 'status', class: 'search-status' });
  const list = element('ul', { class: 'search-results', 'data-testid': 'search-results' });
  const close = element('button', { type: 'button', class: 'close' }, 'Close');
  const dialog = element(
    'dialog',
    { class: 'search', 'aria-label': 'Search' },
    element('div', { class: 'search-bar' }, input, close),
    status,
    list,
  );
  const open = element(
    'button',
    { type: 'button', class: 'search-open', 'data-testid': 'search' },
    element('span', {}, 'Search'),
    element('kbd', { 'aria-hidden': 'true' }, '/'),
  );
  document.body.append(dialog);
  tools.prepend(open);

  const show = () => {
    dialog.showModal();
    input.select();
    void load();
  };
  const load = async () => {
    engine ??= loadEngine();
    try {
      await engine;
      await update();
    } catch {
      engine = undefined;
      status.textContent = 'Search unavailable. Reload the page.';
    }
  };
  const update = async () => {
    const query = input.value.trim();
    const { index, find } = await (engine ??= loadEngine());
    // The reader may have typed on in the meantime.
    if (query !== input.value.trim()) return;
    const results = query === '' ? [] : find(index, query);
    list.replaceChildren(...results.map(resultItem));
    status.textContent = query === '' ? '' : results.length > 0 ? countOf(results) : 'No results.';
  };

  open.addEventListener('click', show);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  // A link to a section of this page loads no other.
  list.addEventListener('click', () => dialog.close());
  input.addEventListener('input', () => void update().catch(() => void load()));
  dialog.addEventListener('keydown', (event) => moveFocus(event, input, list));
  document.addEventListener('keydown', (event) => {
    const isShortcut = event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey));
    if (!isShortcut || dialog.open || isTyping(event.target)) return;
    event.preventDefault();
    show();
  });
}

const countOf = ({ length }: readonly Result[]) =>
  length === 1 ? '1 result' : `${length} results`;

function resultItem({ address, title, heading, excerpt }: Result): HTMLLIElement {
  const name = heading === '' ? title : `${title} › ${heading}`;
  const link = element(
    'a',
    { href: address },
    element('strong', {}, name),
    element('span', {}, excerpt),
  );
  return element('li', {}, link);
}

/** Arrow keys walk through the results; Enter in the field opens the first. */
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  const links = [...list.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  if (event.key === 'Enter' && document.activeElement === input) links[0]?.click();
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = links[at + step];
  if (next) next.focus();
  else if (at + step < 0) input.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select') !== null;
}
