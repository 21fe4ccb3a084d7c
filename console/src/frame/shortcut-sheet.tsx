import { Dialog } from '../ui/dialog.tsx';
import { Kbd, isApple } from '../ui/kbd.tsx';
import { type Shortcut, useShortcuts } from './shortcuts.ts';

export function Keys({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 gap-1">
      {keys.split(' ').map((key) => (
        <Kbd key={key}>{key.replace('mod+', isApple ? '⌘' : 'Ctrl ').replace(/k$/, 'K')}</Kbd>
      ))}
    </span>
  );
}

/** Lists all active shortcuts. */
export function ShortcutSheet({ open, onClose }: { open: boolean; onClose(): void }) {
  const shortcuts = useShortcuts();
  const groups = Map.groupBy(shortcuts, ({ group }) => group);
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" width="md">
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        {[...groups].map(([group, all]) => (
          <section key={group}>
            <h3 className="mb-1 text-xs font-medium text-ink-faint">{group}</h3>
            <dl>
              {unique(all).map(({ keys, label }) => (
                <div
                  key={keys}
                  className="flex items-center justify-between gap-4 border-t border-line py-1.5 text-sm first:border-t-0"
                >
                  <dt>{label}</dt>
                  <dd>
                    <Keys keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

const unique = (all: readonly Shortcut[]) => [
  ...new Map(all.map((each) => [each.keys, each])).values(),
];
