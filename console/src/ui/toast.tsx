import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useSyncExternalStore } from 'react';

import { SessionEnded, errorText } from '../api/problem.ts';
import { cn } from './cn.ts';

/* Written here because the usual packages inject a style element, which the content security policy forbids. */

interface Toast {
  id: number;
  tone: 'ok' | 'bad';
  text: string;
  action?: { label: string; run(): void };
}

const DURATION_MS = { ok: 4_000, bad: 9_000 };

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => change(toasts.filter((toast) => toast.id !== id));

function add(tone: Toast['tone'], text: string, action?: Toast['action']): void {
  const id = ++last;
  change([...toasts.slice(-2), { id, tone, text, ...(action && { action }) }]);
  setTimeout(() => dismiss(id), DURATION_MS[tone]);
}

export const toast = {
  ok: (text: string, action?: Toast['action']) => add('ok', text, action),
  bad: (text: string, action?: Toast['action']) => add('bad', text, action),
  /** Shows a caught error. A session that ended is reported elsewhere. */
  error(error: unknown): void {
    if (!(error instanceof SessionEnded)) add('bad', errorText(error));
  },
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function Toaster() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <ol
      aria-live="polite"
      aria-label="Notifications"
      className="pointer-events-none fixed right-4 bottom-4 left-4 z-60 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, tone, text, action }) => (
        <li
          key={id}
          data-testid="toast"
          data-tone={tone}
          className="pointer-events-auto flex w-full max-w-sm animate-rise items-start gap-2.5 rounded-lg border border-line bg-raised px-3 py-2.5 text-sm shadow-raised"
        >
          {tone === 'ok' ? (
            <CircleCheck className="mt-0.5 size-4 shrink-0 text-ok" aria-label="Done" />
          ) : (
            <CircleAlert className="mt-0.5 size-4 shrink-0 text-bad" aria-label="Failed" />
          )}
          <span className="min-w-0 flex-1 wrap-anywhere">{text}</span>
          {action && (
            <button
              type="button"
              className="font-medium text-accent-text hover:underline"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            className={cn('-m-1 rounded-sm p-1.5 text-ink-faint hover:text-ink')}
            onClick={() => dismiss(id)}
          >
            <X className="size-3.5" />
          </button>
        </li>
      ))}
    </ol>
  );
}
