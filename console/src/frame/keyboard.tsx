import { useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useState } from 'react';

import { useCurrentApplication } from '../applications/queries.ts';
import { ACCOUNT, APPLICATION_PAGES, type NavPage, START, TEAM_PAGES } from './navigation.ts';
import { openPalette, usePalette } from './palette-state.ts';
import { ShortcutSheet } from './shortcut-sheet.tsx';
import { useShortcut } from './shortcuts.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** Global shortcuts: the palette, the list of shortcuts, and navigation. */
export function Keyboard() {
  const { isOpen } = usePalette();
  const [sheet, setSheet] = useState(false);
  const { current: application } = useCurrentApplication();
  useShortcut('mod+k', 'General', 'Search and commands', () => openPalette(!isOpen));
  useShortcut('?', 'General', 'Keyboard shortcuts', () => setSheet(true));
  useShortcut('/', 'General', 'Focus the search field', () => {
    document
      .querySelector<HTMLElement>('main input[inputmode=search], main [role=search] input')
      ?.focus();
  });
  return (
    <>
      {[...TEAM_PAGES, ACCOUNT, START].map((page) => (
        <PageShortcut key={page.to} page={page} group="Go to" />
      ))}
      {application &&
        APPLICATION_PAGES.map((page) => (
          <PageShortcut
            key={page.to}
            page={page}
            group="Go to (application)"
            application={application.id}
          />
        ))}
      {isOpen && (
        <Suspense>
          <Palette onShortcuts={() => setSheet(true)} />
        </Suspense>
      )}
      <ShortcutSheet open={sheet} onClose={() => setSheet(false)} />
    </>
  );
}

interface PageShortcutProps {
  page: NavPage;
  group: string;
  application?: number;
}

function PageShortcut({ page: { to, label, keys = '' }, group, application }: PageShortcutProps) {
  const navigate = useNavigate();
  useShortcut(keys, group, label, () => void navigate({ to, params: paramsOf(application) }));
  return null;
}

const paramsOf = (application: number | undefined): Record<string, string> =>
  application === undefined ? {} : { application: String(application) };
