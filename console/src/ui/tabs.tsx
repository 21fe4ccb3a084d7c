import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export interface Tab {
  to: string;
  params?: Record<string, string>;
  label: ReactNode;
  /** Match the exact URL only, because it is a prefix of the other tabs' URLs. */
  exact?: boolean;
}

const NONE = {};

/** Links to the parts of a page that have their own URLs. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav
      aria-label={label}
      className="-mx-4 mb-5 flex gap-5 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
    >
      {tabs.map(({ to, params = NONE, label: name, exact = false }) => (
        <Link
          key={to}
          to={to}
          params={params}
          activeOptions={{ exact, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent py-2 text-sm font-medium whitespace-nowrap text-ink-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
