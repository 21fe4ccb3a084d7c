import { X } from 'lucide-react';
import {
  type ReactNode,
  createContext,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';

import { cn } from './cn.ts';
import { Button } from './form/button.tsx';

/**
 * Container of menus and popovers: outside an open modal dialog they would be behind it and inert.
 */
const Container = createContext<HTMLElement | null>(null);
export const usePortalContainer = () => useContext(Container);

export interface DialogProps {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  description?: ReactNode;
  children?: ReactNode;
  /** Buttons in the footer. */
  actions?: ReactNode;
  width?: 'sm' | 'md' | 'lg';
  /** Opens at the left edge with full height. */
  side?: boolean;
  /** Without a visible header; the title is the accessible name. */
  bare?: boolean;
  className?: string;
}

const WIDTHS = { sm: 'max-w-md', md: 'max-w-xl', lg: 'max-w-3xl' };

/** Uses the browser's modal dialog, which traps the focus, closes on Escape and restores the focus. */
export function Dialog(props: DialogProps) {
  return props.open ? <Opened {...props} /> : null;
}

function Opened(props: DialogProps) {
  const { onClose, title, description, children, actions, width = 'sm', side, bare } = props;
  const id = useId();
  const ref = useRef<HTMLDialogElement>(null);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // By default the browser focuses the first scrollable element.
      const first = dialog.querySelector<HTMLElement>('input, textarea, select');
      (first ?? dialog.querySelector('button'))?.focus();
    }
    setContainer(dialog);
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={`${id}-title`}
      aria-describedby={description === undefined ? undefined : `${id}-description`}
      onCancel={(event) => {
        if (event.target !== ref.current) return;
        event.preventDefault();
        onClose();
      }}
      // A click on the backdrop has the dialog itself as its target.
      onMouseDown={(event) => event.target === ref.current && onClose()}
      className={cn(
        'max-h-none max-w-none bg-transparent p-0 backdrop:backdrop-blur-[1px]',
        side
          ? 'm-0 h-dvh w-[min(18rem,85vw)] animate-slide'
          : 'mx-auto mt-[max(1rem,10vh)] mb-4 w-full animate-rise px-4',
      )}
    >
      <div
        className={cn(
          'mx-auto flex max-h-[80dvh] w-full flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-raised',
          side ? 'h-full max-h-none rounded-none border-0 border-r' : WIDTHS[width],
          props.className,
        )}
      >
        <header className={cn('flex items-start gap-4 px-5 pt-4 pb-1', bare && 'sr-only')}>
          <div className="min-w-0 flex-1">
            <h2 id={`${id}-title`} className="text-lg font-semibold text-balance wrap-anywhere">
              {title}
            </h2>
            {description !== undefined && (
              <p id={`${id}-description`} className="mt-1 text-pretty wrap-anywhere text-ink-soft">
                {description}
              </p>
            )}
          </div>
          {!bare && (
            <Button look="quiet" size="iconSm" aria-label="Close" onClick={onClose}>
              <X />
            </Button>
          )}
        </header>
        <Container value={container}>
          <div className={cn('min-h-0 flex-1 overflow-y-auto', !bare && 'px-5 py-3')}>
            {children}
          </div>
        </Container>
        {actions !== undefined && (
          <footer className="flex flex-wrap justify-end gap-2 border-t border-line bg-surface px-5 py-3">
            {actions}
          </footer>
        )}
      </div>
    </dialog>
  );
}
