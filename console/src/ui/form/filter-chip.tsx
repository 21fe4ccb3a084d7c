import { ChevronDown, X } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';

import { cn } from '../cn.ts';

interface FilterChipProps {
  label: string;
  testId: string;
  /** Current value; undefined if the filter is not set. */
  value: ReactNode;
  onClear(): void;
  /** MenuTrigger or PopoverTrigger, inside its Menu or Popover. */
  trigger: ComponentType<{ asChild: true; children: ReactNode }>;
}

/** A filter button: its name, or its value with a button to clear it. */
export function FilterChip({ label, testId, value, onClear, trigger: Trigger }: FilterChipProps) {
  const isSet = value !== undefined;
  return (
    <span
      className={cn(
        'inline-flex h-8 max-w-full items-center rounded-md border text-sm max-sm:h-9',
        isSet ? 'border-accent/40 bg-accent-soft' : 'border-line bg-surface',
      )}
    >
      <Trigger asChild>
        <button
          type="button"
          data-testid={`filter-${testId}`}
          className={cn(
            'flex h-full min-w-0 items-center gap-1.5 rounded-md px-2.5 hover:bg-hover',
            isSet && 'max-w-64 pr-1.5',
          )}
        >
          <span className={isSet ? 'text-ink-soft' : 'font-medium'}>{label}</span>
          {isSet ? (
            <span className="truncate font-medium text-accent-text">{value}</span>
          ) : (
            <ChevronDown className="size-3.5 text-ink-faint" aria-hidden />
          )}
        </button>
      </Trigger>
      {isSet && (
        <button
          type="button"
          aria-label={`Clear filter: ${label}`}
          onClick={onClear}
          className="flex h-full items-center rounded-md px-1.5 text-ink-faint hover:text-ink"
        >
          <X className="size-3.5" aria-hidden />
        </button>
      )}
    </span>
  );
}
