import type { HTMLAttributes, ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react';

import { cn } from '../cn.ts';

/* A dense table. Columns that a phone can omit have `max-sm:hidden`, in the head too. */

interface TableProps {
  /** Accessible name. */
  label: string;
  head: ReactNode;
  children: ReactNode;
  className?: string;
  testId?: string;
}

export function Table({ label, head, children, className, testId }: TableProps) {
  return (
    <div className={cn('overflow-x-auto', className)}>
      <table
        data-testid={testId}
        aria-label={label}
        className="w-full border-collapse text-left text-sm"
      >
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export function Th({ className, ...rest }: ThHTMLAttributes<HTMLTableCellElement>) {
  return (
    <th
      scope="col"
      {...rest}
      className={cn(
        'h-9 px-2 text-xs font-medium whitespace-nowrap text-ink-faint first:pl-4 last:pr-4',
        className,
      )}
    />
  );
}

export function Tr({ className, ...rest }: HTMLAttributes<HTMLTableRowElement>) {
  return <tr {...rest} className={cn('border-t border-line', className)} />;
}

export function Td({ className, ...rest }: TdHTMLAttributes<HTMLTableCellElement>) {
  return <td {...rest} className={cn('h-11 px-2 py-1.5 first:pl-4 last:pr-4', className)} />;
}
