import type { ReactNode } from 'react';

/** Apple keyboards have ⌘ instead of Ctrl. */
export const isApple = /Mac|iP(hone|ad|od)/.test(navigator.userAgent);

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-sm border border-line bg-sunken px-1 font-sans text-xs text-ink-faint">
      {children}
    </kbd>
  );
}
