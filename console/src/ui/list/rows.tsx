import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { cn } from '../cn.ts';
import { Time } from '../time.tsx';

/* Shared parts of the rows of long lists. */

/** Row height in pixels; rows are laid out without measuring. */
export const ROW_HEIGHT = { desktop: 41, phone: 66 };

/** Column headings; `columns` is the same grid as in the rows. */
export function RowsHead({ columns, children }: { columns: string; children: ReactNode }) {
  return (
    <div
      aria-hidden
      className={`grid gap-3 border-b border-line bg-sunken px-3 py-1.5 text-xs font-medium text-ink-faint ${columns}`}
    >
      {children}
    </div>
  );
}

interface RowProps {
  link: LinkProps;
  /** Below the row, in a list that measures its rows. */
  note?: ReactNode;
  children: ReactNode;
}

export function WideRow({ link, columns, note, children }: RowProps & { columns: string }) {
  return (
    <Link
      {...link}
      data-row
      className={cn(
        'grid items-center gap-x-3 px-3 text-sm -outline-offset-2 hover:bg-hover',
        note === undefined ? 'h-full' : 'py-2.5',
        columns,
      )}
    >
      {children}
      {note !== undefined && <div className="col-span-full mt-1.5">{note}</div>}
    </Link>
  );
}

/** A row on a phone: subject and time, with details below. */
export function PhoneRow({
  link,
  title,
  at,
  note,
  children,
}: RowProps & { title: ReactNode; at: string }) {
  return (
    <Link
      {...link}
      data-row
      className={cn(
        'flex flex-col justify-center gap-1 px-3 text-sm -outline-offset-2 active:bg-hover',
        note === undefined ? 'h-full' : 'py-2.5',
      )}
    >
      <span className="flex items-center gap-2">
        <span className="truncate">{title}</span>
        <Time at={at} className="ml-auto shrink-0 text-xs text-ink-faint" />
      </span>
      <span className="flex items-center gap-2 text-xs text-ink-soft">{children}</span>
      {note}
    </Link>
  );
}
