import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

import { cn } from '../cn.ts';
import { toast } from '../toast.tsx';
import { Button, type ButtonProps } from './button.tsx';

const COPIED_MS = 1_500;

/** Returns whether text was just copied, and the function that copies. */
function useCopy(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => toast.bad('Copying is blocked by the browser. Select the text instead.'),
    );
  };
  return [copied, copy];
}

interface CopyButtonProps extends Omit<ButtonProps, 'onClick' | 'children'> {
  text: string;
  /** Accessible name; also shown if `labeled`. */
  label?: string;
  /** Shows the label beside the icon. */
  labeled?: boolean;
}

export function CopyButton({ text, label = 'Copy', labeled, ...rest }: CopyButtonProps) {
  const [copied, copy] = useCopy();
  const Icon = copied ? Check : Copy;
  return (
    <Button
      look={labeled ? 'plain' : 'quiet'}
      size={labeled ? 'sm' : 'iconSm'}
      {...rest}
      aria-label={labeled ? undefined : label}
      title={labeled ? undefined : label}
      onClick={() => copy(text)}
    >
      <Icon className={copied ? 'text-ok' : undefined} />
      {labeled && (copied ? 'Copied' : label)}
      {!labeled && copied && (
        <span role="status" className="sr-only">
          Copied
        </span>
      )}
    </Button>
  );
}

/** An id, URL or other text that is copied on click. */
export function Copyable({ text, className }: { text: string; className?: string }) {
  const [copied, copy] = useCopy();
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      title="Copy"
      onClick={() => copy(text)}
      className={cn(
        'group inline-flex max-w-full items-center gap-1.5 rounded-sm text-left font-mono text-xs wrap-anywhere hover:text-accent-text',
        className,
      )}
    >
      {text}
      <Icon
        className={cn(
          'size-3 shrink-0',
          copied
            ? 'text-ok'
            : 'text-ink-faint opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100 pointer-coarse:opacity-100',
        )}
        aria-hidden
      />
      {copied && (
        <span role="status" className="sr-only">
          Copied
        </span>
      )}
    </button>
  );
}
