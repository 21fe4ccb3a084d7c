import { Eye, EyeOff } from 'lucide-react';
import { type TextareaHTMLAttributes, useState } from 'react';

import { cn } from '../cn.ts';
import { Button } from './button.tsx';
import { Textarea } from './input.tsx';

/**
 * For a pasted secret. A textarea keeps the line breaks of key files, which a password field drops, and browsers do not
 * offer to save its content.
 */
export function SecretInput({ className, ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const [shown, setShown] = useState(false);
  return (
    <span className="relative block">
      <Textarea
        rows={1}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
        className={cn(
          'block max-h-40 min-h-8 resize-none [field-sizing:content] pr-10 font-mono leading-5 break-all max-sm:min-h-10',
          !shown && '[-webkit-text-security:disc]',
          className,
        )}
      />
      <Button
        look="quiet"
        size="iconSm"
        aria-label={shown ? 'Hide' : 'Show'}
        title={shown ? 'Hide' : 'Show'}
        className="absolute top-0.5 right-0.5"
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff /> : <Eye />}
      </Button>
    </span>
  );
}
