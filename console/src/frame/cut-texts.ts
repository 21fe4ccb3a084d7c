/* Texts that do not fit are cut off with an ellipsis; pointing at one shows all of it. */

const isCut = (element: Element) => element.scrollWidth > element.clientWidth;

function showWhole({ target }: Event): void {
  const element = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null;
  if (!element || element.closest('[title]:not([data-cut])')) return;
  if (isCut(element)) {
    element.dataset['cut'] = '';
    element.title = element.textContent;
  } else if (element.dataset['cut'] !== undefined) {
    delete element.dataset['cut'];
    element.removeAttribute('title');
  }
}

export function startCutTexts(): void {
  document.addEventListener('pointerover', showWhole, { passive: true });
}
