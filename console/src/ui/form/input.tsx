import { ChevronDown, Search, X } from 'lucide-react';
import type { InputHTMLAttributes, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';

import { cn } from '../cn.ts';

// 16 pixels on phones: below that, iOS zooms in on focus.
const box =
  'w-full min-w-0 rounded-md border border-line-strong bg-surface text-ink transition-[border-color] hover:border-ink-faint focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-ink-faint aria-invalid:border-bad text-sm max-sm:text-lg';

export function Input({ className, ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input {...rest} className={cn(box, 'h-8 px-2.5 max-sm:h-10', className)} />;
}

export function Textarea({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea {...rest} className={cn(box, 'min-h-20 px-2.5 py-1.5', className)} />;
}

/** The native select works with every keyboard and phone. */
export function Select({ className, ...rest }: SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <span className={cn('relative inline-flex w-full', className)}>
      <select
        {...rest}
        className={cn(box, 'h-8 appearance-none truncate pr-8 pl-2.5 max-sm:h-10')}
      />
      <ChevronDown
        className="pointer-events-none absolute top-1/2 right-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
        aria-hidden
      />
    </span>
  );
}

interface SearchInputProps extends Omit<
  InputHTMLAttributes<HTMLInputElement>,
  'onChange' | 'value'
> {
  value: string;
  onValue(value: string): void;
}

export function SearchInput({ className, value, onValue, ...rest }: SearchInputProps) {
  return (
    <span className={cn('relative inline-flex', className)}>
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-ink-faint"
        aria-hidden
      />
      <Input
        type="text"
        inputMode="search"
        autoComplete="off"
        spellCheck={false}
        {...rest}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        className="px-8"
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => onValue('')}
          className="absolute top-1/2 right-1 -translate-y-1/2 rounded-sm p-1.5 text-ink-faint hover:text-ink"
        >
          <X className="size-3.5" />
        </button>
      )}
    </span>
  );
}
