import { useSyncExternalStore } from 'react';

/* Whether the palette is open: it is opened by a key, and by a button elsewhere. */

let isOpen = false;
const listeners = new Set<() => void>();

export function openPalette(open: boolean): void {
  isOpen = open;
  for (const listener of listeners) listener();
}

export function usePalette(): { isOpen: boolean } {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOpen,
  );
  return { isOpen: open };
}
