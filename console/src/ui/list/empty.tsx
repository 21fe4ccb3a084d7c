import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from '../cn.ts';

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  /** What the list will contain, and how to add the first item. */
  children?: ReactNode;
  actions?: ReactNode;
  className?: string;
  testId?: string;
  /** Whether this is the whole page, so that the title is its heading. */
  isPage?: boolean;
}

export function Empty(props: EmptyProps) {
  const { icon: Icon, title, children, actions, className, testId, isPage = false } = props;
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div
      data-testid={testId}
      className={cn('flex flex-col items-center px-6 py-14 text-center', className)}
    >
      <span className="mb-3 rounded-lg border border-line bg-sunken p-2.5 text-ink-faint">
        <Icon className="size-5" aria-hidden />
      </span>
      <Heading className={cn('font-semibold', isPage && 'text-xl tracking-tight')}>{title}</Heading>
      {children !== undefined && (
        <div className="mt-1 max-w-md text-sm text-pretty text-ink-soft">{children}</div>
      )}
      {actions !== undefined && (
        <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
    </div>
  );
}
