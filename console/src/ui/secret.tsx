import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';

import { Button } from './button.tsx';
import { cn } from './cn.ts';
import { CopyButton } from './copy.tsx';

export interface SecretProps {
  text: string;
  /** What it is, for those who hear it. */
  label: string;
  /** In sight from the beginning: it is shown this once. */
  open?: boolean;
  className?: string;
}

/** Something that not everybody who looks over a shoulder should read. */
export function Secret({ text, label, open, className }: SecretProps) {
  const [shown, setShown] = useState(open === true);
  return (
    <span
      className={cn(
        'flex w-full min-w-0 items-center gap-0.5 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-2.5',
        className,
      )}
    >
      <code
        aria-label={label}
        className={cn('min-w-0 flex-1 font-mono text-xs', shown ? 'wrap-anywhere' : 'truncate')}
      >
        {shown ? text : masked(text)}
      </code>
      <Button
        look="quiet"
        size="iconSm"
        aria-label={shown ? 'Hide' : 'Show'}
        title={shown ? 'Hide' : 'Show'}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff /> : <Eye />}
      </Button>
      <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
    </span>
  );
}

/** Enough to tell it from another: what kind it is, and its end. */
export function masked(text: string): string {
  const [prefix = ''] = /^[a-z]{2,8}_/.exec(text) ?? [];
  return `${prefix}${'•'.repeat(16)}${text.slice(-4)}`;
}
