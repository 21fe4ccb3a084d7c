import { element } from './element.ts';

const SHOWN_MS = 2000;

/** A button on each code block that copies it. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('.code')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', () => {
      const text = block.querySelector('code')?.textContent ?? '';
      navigator.clipboard.writeText(text).then(
        () => show(button, 'Copied'),
        () => show(button, 'Press Ctrl+C'),
      );
    });
    block.append(button);
  }
}

function show(button: HTMLButtonElement, label: string): void {
  button.textContent = label;
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS);
}
