import { type ReactNode, useEffect } from 'react';

import { cn } from './cn.ts';

interface PageProps {
  title: ReactNode;
  /** Browser tab title, if `title` is not plain text. */
  name?: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Link to the parent page. */
  crumb?: ReactNode;
  children: ReactNode;
}

export function Page({ title, name, description, actions, crumb, children }: PageProps) {
  useTitle(name ?? (typeof title === 'string' ? title : undefined));
  return (
    // All pages have one width, so that nothing moves sideways between them.
    <div className="mx-auto w-full max-w-7xl px-4 py-5 sm:px-6 lg:px-8">
      {crumb !== undefined && (
        <nav
          aria-label="Breadcrumb"
          className="mb-1 text-sm wrap-anywhere text-ink-faint [&_a:hover]:text-ink"
        >
          {crumb}
        </nav>
      )}
      <header className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-60">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {description !== undefined && (
            <p className="mt-0.5 max-w-2xl text-pretty wrap-anywhere text-ink-soft">
              {description}
            </p>
          )}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'Switchboard' : `${title} · Switchboard`;
  }, [title]);
}

/** Style of links in running text. */
export const linkClass =
  'font-medium text-accent-text underline decoration-accent-text/35 underline-offset-2 hover:decoration-current';

/** Link to another site, or to a page outside the console. */
export function OuterLink({
  href,
  children,
  className,
}: {
  href: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener" className={cn(linkClass, className)}>
      {children}
      <span className="sr-only"> (in a new tab)</span>
    </a>
  );
}
