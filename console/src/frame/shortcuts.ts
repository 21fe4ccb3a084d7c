import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

/* Keyboard shortcuts that work anywhere on a page, and the list of them. */

export interface Shortcut {
  /** One key, or a sequence separated by spaces, such as `g m`; `mod` in `mod+k` is ⌘ or Ctrl. */
  keys: string;
  label: string;
  /** Group in the list of shortcuts. */
  group: string;
  run(): void;
}

/** Maximum time between two keys of a sequence, in milliseconds. */
const SEQUENCE_TIMEOUT_MS = 1_000;

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();

function change(next: readonly Shortcut[]): void {
  shortcuts = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** All active shortcuts. */
export const useShortcuts = () => useSyncExternalStore(subscribe, () => shortcuts);

/** Registers a shortcut while the component is mounted. */
export function useShortcut(keys: string, group: string, label: string, act: () => void): void {
  const press = useEffectEvent(act);
  useEffect(() => {
    const shortcut: Shortcut = { keys, group, label, run: () => press() };
    change([...shortcuts, shortcut]);
    return () => change(shortcuts.filter((each) => each !== shortcut));
  }, [keys, group, label]);
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');

let pressed: string[] = [];
let lastKeyAt = 0;

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isMod = event.metaKey || event.ctrlKey;
  if (isMod) return void run([`mod+${event.key.toLowerCase()}`], event);
  const isOverlayOpen = document.querySelector('dialog[open], [role=menu]') !== null;
  if (isTyping(event.target) || isOverlayOpen || event.key.length > 1) return;
  const isSequence = event.timeStamp - lastKeyAt < SEQUENCE_TIMEOUT_MS;
  lastKeyAt = event.timeStamp;
  pressed = [...(isSequence ? pressed.slice(-2) : []), event.key];
  if (run(pressed, event)) pressed = [];
}

/** Runs the shortcut of the last keys; the longest match wins. */
function run(keys: readonly string[], event: KeyboardEvent): boolean {
  for (let from = 0; from < keys.length; from++) {
    const wanted = keys.slice(from).join(' ');
    // The latest registration wins: a page overrides its frame.
    const found = shortcuts.findLast((each) => each.keys === wanted);
    if (!found) continue;
    event.preventDefault();
    found.run();
    return true;
  }
  return false;
}

export function startShortcuts(): void {
  window.addEventListener('keydown', handleKey);
}
