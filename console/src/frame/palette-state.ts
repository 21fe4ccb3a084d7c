import { useSyncExternalStore } from 'react';

/* Whether the palette is open. Shared, because a shortcut and a button elsewhere open it. */

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
