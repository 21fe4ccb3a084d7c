import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';

import { useCurrentApplication } from '../applications/queries.ts';
import { ApplicationSwitcher } from '../applications/switcher.tsx';
import { APPLICATION_PAGES, type NavPage, REFERENCE, START, TEAM_PAGES } from './navigation.ts';
import { openPalette } from './palette-state.ts';
import { ProblemCount } from './problem-count.tsx';
import { Keys } from './shortcut-sheet.tsx';
import { UserMenu } from './user-menu.tsx';

const item =
  'flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm font-medium text-ink-soft hover:bg-hover hover:text-ink max-lg:py-2 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint';
const current =
  'aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-text aria-[current=page]:[&_svg]:text-accent-text';

/** `onGo` is called when a link is followed, to close the sidebar on phones. */
export function Sidebar({ onGo }: { onGo?: () => void }) {
  const { current: application } = useCurrentApplication();
  return (
    <div className="flex h-full flex-col gap-1 p-3">
      <ApplicationSwitcher onGo={onGo} />
      <button
        type="button"
        onClick={() => {
          onGo?.();
          openPalette(true);
        }}
        className="mb-2 flex items-center gap-2.5 rounded-md px-2 py-1.5 text-sm text-ink-faint hover:bg-hover max-lg:hidden"
      >
        <Search className="size-4 shrink-0" aria-hidden />
        <span className="flex-1 text-left">Search</span>
        <Keys keys="mod+k" />
      </button>
      {application && (
        <NavLinks
          label="Application"
          pages={APPLICATION_PAGES}
          params={{ application: String(application.id) }}
          onGo={onGo}
          problemsOf={{ application: application.id }}
        />
      )}
      {TEAM_PAGES.length > 0 && (
        <>
          <h2 className="mt-4 mb-1 px-2 text-xs font-medium text-ink-faint">Team</h2>
          <NavLinks
            label="Team"
            pages={TEAM_PAGES}
            onGo={onGo}
            problemsOf={{ application: undefined }}
          />
        </>
      )}
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-px border-t border-line pt-3">
        <NavLinks label="Help" pages={[START]} onGo={onGo} />
        <a href={REFERENCE.href} target="_blank" rel="noreferrer" className={item}>
          <REFERENCE.icon aria-hidden />
          {REFERENCE.label}
          <span className="sr-only"> (in a new tab)</span>
        </a>
        <UserMenu />
      </div>
    </div>
  );
}

interface NavLinksProps {
  label: string;
  pages: readonly NavPage[];
  params?: Record<string, string>;
  onGo: (() => void) | undefined;
  /** The application whose number of problems is shown beside "Overview"; undefined for the team. */
  problemsOf?: { application: number | undefined };
}

const NONE = {};

function NavLinks({ label, pages, params = NONE, onGo, problemsOf }: NavLinksProps) {
  return (
    <nav aria-label={label} className="grid gap-px">
      {pages.map((page) => (
        <Link
          key={page.to}
          to={page.to}
          params={params}
          activeOptions={{ exact: page.exact ?? false, includeSearch: false }}
          onClick={onGo}
          className={`${item} ${current}`}
        >
          <page.icon aria-hidden />
          {page.label}
          {problemsOf !== undefined && page.to.endsWith('/overview') && (
            <ProblemCount application={problemsOf.application} />
          )}
        </Link>
      ))}
    </nav>
  );
}
