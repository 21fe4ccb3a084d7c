import { Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { useState } from 'react';

import { useCurrentApplication } from '../applications/queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Button } from '../ui/form/button.tsx';
import { Keyboard } from './keyboard.tsx';
import { Logo } from './logo.tsx';
import { openPalette } from './palette-state.ts';
import { ProblemLink } from './problem-count.tsx';
import { Sidebar } from './sidebar.tsx';
import { StaleNotice } from './stale-notice.tsx';

/** Navigation beside the page; on phones, behind a menu button. */
export function AppFrame() {
  const [open, setOpen] = useState(false);
  const { current: application } = useCurrentApplication();
  return (
    <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-60 rounded-md bg-accent px-3 py-2 text-white focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 h-dvh overflow-y-auto border-r border-line bg-surface max-lg:hidden">
        <Sidebar />
      </aside>
      <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b border-line bg-surface px-3 lg:hidden">
        <Button
          look="quiet"
          size="icon"
          data-testid="open-navigation"
          aria-label="Open navigation"
          onClick={() => setOpen(true)}
        >
          <MenuIcon />
        </Button>
        {application ? (
          <span
            data-testid="header-application"
            title={application.name}
            className="min-w-0 flex-1 truncate font-semibold"
          >
            {application.name}
          </span>
        ) : (
          <span className="flex-1">
            <Logo />
          </span>
        )}
        <ProblemLink application={application?.id} />
        <Button
          look="quiet"
          size="icon"
          data-testid="open-palette"
          aria-label="Search and commands"
          onClick={() => openPalette(true)}
        >
          <Search />
        </Button>
      </header>
      <Dialog open={open} onClose={() => setOpen(false)} title="Navigation" side bare>
        <Sidebar onGo={() => setOpen(false)} />
      </Dialog>
      <Keyboard />
      <StaleNotice />
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        <Outlet />
      </main>
    </div>
  );
}
