import type { HTMLAttributes, ReactNode } from 'react';

import { cn } from './cn.ts';

export function Card({ className, ...rest }: HTMLAttributes<HTMLDivElement>) {
  return <div {...rest} className={cn('rounded-lg border border-line bg-surface', className)} />;
}

interface SectionProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  className?: string;
  /** No padding around the content. */
  flush?: boolean;
  testId?: string;
}

/** Links may lead to a section of a page: `#credentials`. */
const anchorOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

export function Section(props: SectionProps) {
  const { title, description, actions, children, className, flush, testId } = props;
  return (
    <section
      id={typeof title === 'string' ? anchorOf(title) : undefined}
      data-testid={testId}
      className={cn(
        'scroll-mt-4 overflow-hidden rounded-lg border border-line bg-surface',
        className,
      )}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <div className="min-w-0 flex-1 basis-56">
          <h2 className="font-semibold">{title}</h2>
          {description !== undefined && (
            <p className="text-sm text-pretty text-ink-faint">{description}</p>
          )}
        </div>
        {actions}
      </header>
      {Boolean(children) && (
        <div className={cn('border-t border-line', !flush && 'p-4')}>{children}</div>
      )}
    </section>
  );
}

/** A list of names and values. */
export function Facts({ children, className }: { children: ReactNode; className?: string }) {
  return <dl className={cn('grid gap-x-6 gap-y-2.5 text-sm', className)}>{children}</dl>;
}

export function Fact({ name, children }: { name: ReactNode; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[9rem_1fr]">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
