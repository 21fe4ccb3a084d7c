/**
 * Text that is cut off without a tooltip when pointed at, whatever has a tooltip but is beyond the edge of its card,
 * columns without width, ids broken into lines, and a page that is wider than its window.
 */
export const OVERFLOWS = `(() => {
  const root = document.documentElement;
  const faults = root.scrollWidth > root.clientWidth ? ['page ' + root.scrollWidth] : [];
  for (const element of document.querySelectorAll('body *')) {
    const { overflowX } = getComputedStyle(element);
    if (overflowX === 'visible' || element.scrollWidth <= element.clientWidth + 1) continue;
    if (element.matches('.sr-only, .sr-only *, input, textarea, select') || !element.checkVisibility()) continue;
    element.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    if (/auto|scroll/.test(overflowX) && element.querySelector('table, [data-row]')) {
      faults.push('list ' + element.scrollWidth + ' of ' + element.clientWidth);
    }
    if (/auto|scroll/.test(overflowX) || element.closest('[title]')) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2 || element.querySelector('[title]')) continue;
    faults.push('cut: ' + element.tagName + '.' + element.className + ': ' + element.textContent.slice(0, 40));
  }
  for (const element of document.querySelectorAll('main [title]')) {
    if (!element.checkVisibility() || element.closest('.sr-only')) continue;
    const cutting = (node) => !node || getComputedStyle(node).overflowX !== 'visible' ? node : cutting(node.parentElement);
    const edge = cutting(element.parentElement);
    if (!edge || /auto|scroll/.test(getComputedStyle(edge).overflowX)) continue;
    if (getComputedStyle(edge).textOverflow === 'ellipsis') continue;
    if (element.getBoundingClientRect().right <= edge.getBoundingClientRect().right + 1) continue;
    faults.push('beyond the edge: ' + element.title.slice(0, 40));
  }
  for (const cell of document.querySelectorAll('main [data-row] > *')) {
    const isEmpty = cell.textContent.trim() === '' || !cell.checkVisibility();
    if (!isEmpty && cell.getBoundingClientRect().width < 16) faults.push('no width: ' + cell.textContent.slice(0, 40));
  }
  for (const id of document.querySelectorAll('main td button')) {
    if (!/^\\d+$/.test(id.textContent) || !id.checkVisibility()) continue;
    if (id.getBoundingClientRect().height > 30) faults.push('broken id: ' + id.textContent);
  }
  return faults;
})()`;
