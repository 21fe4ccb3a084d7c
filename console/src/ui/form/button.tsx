import { type VariantProps, cva } from 'class-variance-authority';
import { Slot } from 'radix-ui';
import type { ButtonHTMLAttributes } from 'react';

import { cn } from '../cn.ts';

const button = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap select-none transition-colors disabled:pointer-events-none disabled:opacity-55 aria-disabled:pointer-events-none aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      look: {
        primary: 'bg-accent text-white shadow-button hover:bg-accent-strong',
        plain: 'border border-line bg-surface text-ink shadow-button hover:bg-hover',
        quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
        danger: 'bg-bad-solid text-white shadow-button hover:brightness-90',
        dangerQuiet: 'border border-line bg-surface text-bad shadow-button hover:bg-bad-soft',
      },
      size: {
        sm: 'h-7 px-2.5 text-sm',
        md: 'h-8 px-3 text-sm max-sm:h-9',
        lg: 'h-10 px-4 text-base',
        icon: 'size-8 max-sm:size-9',
        iconSm: 'size-7',
      },
    },
    defaultVariants: { look: 'plain', size: 'md' },
  },
);

export interface ButtonProps
  extends ButtonHTMLAttributes<HTMLButtonElement>, VariantProps<typeof button> {
  /** In progress: keeps its size and cannot be pressed again. */
  busy?: boolean;
  /** Applies the button style to its only child, such as a link. */
  asChild?: boolean;
}

export function Button({ look, size, busy, asChild, className, children, ...rest }: ButtonProps) {
  const classes = cn(button({ look, size }), busy && 'relative', className);
  if (asChild) {
    return (
      <Slot.Root className={classes} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      type="button"
      {...rest}
      className={classes}
      disabled={rest.disabled === true || busy === true}
      aria-busy={busy}
    >
      {busy ? (
        <>
          <span className="contents text-transparent">{children}</span>
          <span className="absolute inset-0 flex items-center justify-center gap-1" aria-hidden>
            <i className="size-1 animate-shimmer rounded-full bg-current" />
            <i className="size-1 animate-shimmer rounded-full bg-current [animation-delay:150ms]" />
            <i className="size-1 animate-shimmer rounded-full bg-current [animation-delay:300ms]" />
          </span>
        </>
      ) : (
        children
      )}
    </button>
  );
}
