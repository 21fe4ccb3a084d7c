import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';

import { cn } from '../cn.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';

interface SecretProps {
  text: string;
  /** Accessible name. */
  label: string;
  /** Initially visible, for secrets that are shown only once. */
  open?: boolean;
  className?: string;
}

/** A secret, hidden until revealed. */
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
        data-testid="secret"
        aria-label={label}
        className={cn('min-w-0 flex-1 font-mono text-xs', shown ? 'wrap-anywhere' : 'truncate')}
      >
        {shown ? text : masked(text)}
      </code>
      <Button
        data-testid="reveal"
        look="quiet"
        size="iconSm"
        aria-label={shown ? 'Hide' : 'Show'}
        title={shown ? 'Hide' : 'Show'}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff /> : <Eye />}
      </Button>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </span>
  );
}

/** Keeps the prefix and the end, enough to tell two secrets apart. */
export function masked(text: string): string {
  const [prefix = ''] = /^[a-z]{2,8}_/.exec(text) ?? [];
  return `${prefix}${'•'.repeat(16)}${text.slice(-4)}`;
}
