import { Slot } from 'radix-ui';
import {
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';

import { toast } from '../toast.tsx';

/* What menus and popovers share: a trigger, and a panel that opens beside it. The library that draws panels is loaded
   when the pointer or the focus first reaches a trigger, so that no page waits for it. */

interface FloatingState {
  isOpen: boolean;
  setOpen(isOpen: boolean): void;
  /** Whether the panel may be opened soon, so that its code must be loaded. */
  isNeeded: boolean;
  preload(): void;
  trigger: RefObject<HTMLButtonElement | null>;
  triggerId: string;
}

const Floating = createContext<FloatingState | undefined>(undefined);

export function useFloating(): FloatingState {
  const state = useContext(Floating);
  if (!state) throw new Error('there is no menu or popover around this');
  return state;
}

export interface FloatingRootProps {
  /** Controls the panel from outside, with `onOpenChange`. */
  open?: boolean;
  onOpenChange?(isOpen: boolean): void;
  children: ReactNode;
}

export function FloatingRoot({ open, onOpenChange, children }: FloatingRootProps) {
  const [isOpenHere, setIsOpenHere] = useState(false);
  const [isNeeded, setIsNeeded] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const triggerId = useId();
  const isOpen = open ?? isOpenHere;
  const setOpen = onOpenChange ?? setIsOpenHere;
  const preload = useCallback(() => setIsNeeded(true), []);
  const state = useMemo(
    () => ({ isOpen, setOpen, isNeeded: isNeeded || isOpen, preload, trigger, triggerId }),
    [isOpen, setOpen, isNeeded, preload, triggerId],
  );
  return <Floating value={state}>{children}</Floating>;
}

export interface TriggerProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Makes its only child, a button, the trigger. */
  asChild?: boolean;
}

export function FloatingTrigger({
  opens,
  asChild,
  ...rest
}: TriggerProps & { opens: 'menu' | 'dialog' }) {
  const { isOpen, setOpen, preload, trigger, triggerId } = useFloating();
  const props = {
    ...rest,
    ref: trigger,
    id: triggerId,
    'aria-haspopup': opens,
    'aria-expanded': isOpen,
    'data-state': isOpen ? 'open' : 'closed',
    onPointerEnter: preload,
    onFocus: preload,
    onClick: () => setOpen(!isOpen),
    onKeyDown: (event: KeyboardEvent) => {
      if (opens !== 'menu' || event.key !== 'ArrowDown') return;
      event.preventDefault();
      setOpen(true);
    },
  };
  return asChild ? <Slot.Root {...props} /> : <button type="button" {...props} />;
}

/** Loads a module once for all its users; each gets undefined until it is loaded. */
export function loadedOnce<Parts>(load: () => Promise<Parts>) {
  let loaded: Parts | undefined;
  return function useParts(isNeeded: boolean): Parts | undefined {
    const [parts, setParts] = useState(() => loaded);
    useEffect(() => {
      if (!isNeeded || parts) return;
      load().then((module) => {
        loaded = module;
        setParts(() => module);
      }, toast.error);
    }, [isNeeded, parts]);
    return parts;
  };
}

/** Handlers of a panel: its trigger does not count as outside, and gets the focus back if the panel had it. */
export function usePanelFocus() {
  const { trigger } = useFloating();
  const wentElsewhere = useRef(false);
  return {
    onInteractOutside(event: Event) {
      if (event.target instanceof Node && trigger.current?.contains(event.target)) {
        event.preventDefault();
      } else {
        wentElsewhere.current = true;
      }
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      if (!wentElsewhere.current) trigger.current?.focus();
      wentElsewhere.current = false;
    },
  };
}
