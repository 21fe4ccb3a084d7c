import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';

/* Keys that do something wherever one is on a page, and the list of them. */

export interface Shortcut {
  /** One key, or several one after the other with a space between, such as `g m`; `mod+k` is with ⌘ or Ctrl. */
  keys: string;
  label: string;
  /** What it belongs to in the list. */
  group: string;
  run(): void;
}

/** How long one may take from one key to the next. */
const PATIENCE = 1_000;

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

/** All that work now. */
export const useShortcuts = () => useSyncExternalStore(subscribe, () => shortcuts);

/** Has a shortcut work for as long as the component is there. */
export function useShortcut(keys: string, group: string, label: string, act: () => void): void {
  const press = useEffectEvent(act);
  useEffect(() => {
    const shortcut: Shortcut = { keys, group, label, run: () => press() };
    change([...shortcuts, shortcut]);
    return () => change(shortcuts.filter((each) => each !== shortcut));
  }, [keys, group, label]);
}

const isWriting = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');

let pressed: string[] = [];
let last = 0;

function hear(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const isMod = event.metaKey || event.ctrlKey;
  if (isMod) return void run([`mod+${event.key.toLowerCase()}`], event);
  const isElsewhere = document.querySelector('dialog[open], [role=menu]') !== null;
  if (isWriting(event.target) || isElsewhere || event.key.length > 1) return;
  const isSoon = event.timeStamp - last < PATIENCE;
  last = event.timeStamp;
  pressed = [...(isSoon ? pressed.slice(-2) : []), event.key];
  if (run(pressed, event)) pressed = [];
}

/** Runs what the last keys mean; the longest of them counts. */
function run(keys: readonly string[], event: KeyboardEvent): boolean {
  for (let from = 0; from < keys.length; from++) {
    const wanted = keys.slice(from).join(' ');
    // The one that came last: a page knows better than what is around it.
    const found = shortcuts.findLast((each) => each.keys === wanted);
    if (!found) continue;
    event.preventDefault();
    found.run();
    return true;
  }
  return false;
}

export function startShortcuts(): void {
  window.addEventListener('keydown', hear);
}
