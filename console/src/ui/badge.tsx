import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from './cn.ts';

export type Tone = 'neutral' | 'ok' | 'busy' | 'warn' | 'bad' | 'accent';

export const TONE_TEXT: Record<Tone, string> = {
  neutral: 'text-ink-soft',
  ok: 'text-ok',
  busy: 'text-busy',
  warn: 'text-warn',
  bad: 'text-bad',
  accent: 'text-accent-text',
};

const SOFT: Record<Tone, string> = {
  neutral: 'bg-hover text-ink-soft',
  ok: 'bg-ok-soft text-ok',
  busy: 'bg-busy-soft text-busy',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent-text',
};

/** How a badge shows a state. */
export interface BadgeStyle {
  tone: Tone;
  icon: LucideIcon;
  label: string;
}

interface BadgeProps {
  tone?: Tone;
  icon?: LucideIcon;
  className?: string;
  title?: string;
  /** For styles and tests; not shown. */
  state?: string;
  children: ReactNode;
}

export function Badge(props: BadgeProps) {
  const { tone = 'neutral', icon: Icon, className, title, state, children } = props;
  return (
    <span
      title={title}
      data-state={state}
      className={cn(
        'inline-flex w-fit items-center gap-1 rounded-sm px-1.5 py-px text-xs font-medium whitespace-nowrap [&_svg]:size-3 [&_svg]:shrink-0',
        SOFT[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden />}
      {children}
    </span>
  );
}
