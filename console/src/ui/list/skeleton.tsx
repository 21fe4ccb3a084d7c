import { cn } from '../cn.ts';

/** Placeholder with the size of the content that is loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden className={cn('block h-4 animate-shimmer rounded-sm bg-line', className)} />
  );
}

const WIDTHS = ['w-1/2', 'w-3/5', 'w-2/5', 'w-3/4', 'w-1/3'];

export function SkeletonRows({ count = 5, className }: { count?: number; className?: string }) {
  return (
    <div role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        <div
          key={i}
          className={cn(
            'flex h-11 items-center gap-4 border-t border-line px-4 first:border-t-0',
            className,
          )}
        >
          <Skeleton className="w-16" />
          <span className="flex-1">
            <Skeleton className={WIDTHS[i % WIDTHS.length] ?? 'w-1/2'} />
          </span>
          <Skeleton className="w-20" />
        </div>
      ))}
    </div>
  );
}
