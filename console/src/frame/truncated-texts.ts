/* Truncated texts show in full in a tooltip. */

const isTruncated = (element: Element) => element.scrollWidth > element.clientWidth;

function showTitle({ target }: Event): void {
  const element = target instanceof Element ? target.closest<HTMLElement>('.truncate') : null;
  if (!element || element.closest('[title]:not([data-truncated])')) return;
  if (isTruncated(element)) {
    element.dataset['truncated'] = '';
    element.title = element.textContent;
  } else if (element.dataset['truncated'] !== undefined) {
    delete element.dataset['truncated'];
    element.removeAttribute('title');
  }
}

export function showTruncatedTexts(): void {
  document.addEventListener('pointerover', showTitle, { passive: true });
}
