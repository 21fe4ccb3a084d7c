import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { useState } from 'react';

import icon from '../frame/icon.svg';
import { Skeleton } from '../ui/list/skeleton.tsx';
import {
  Menu,
  MenuChoice,
  MenuContent,
  MenuItem,
  MenuLabel,
  MenuSeparator,
  MenuTrigger,
} from '../ui/menu.tsx';
import { CreateApplication } from './create.tsx';
import { applicationsQuery, rememberApplication, useCurrentApplication } from './queries.ts';

/** Shows the current application and switches to another. */
export function ApplicationSwitcher() {
  const { data: applications, isPending } = useQuery(applicationsQuery);
  const { application } = useSearch({ strict: false });
  const current = useCurrentApplication(application);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();

  function go(id: number) {
    rememberApplication(id);
    const params = { application: String(id) };
    void navigate({ to: '/app/applications/$application/messages', params });
  }

  return (
    <>
      <Menu>
        <MenuTrigger className="mb-2 flex items-center gap-2.5 rounded-md border border-line px-2 py-1.5 text-left hover:bg-hover data-[state=open]:bg-hover">
          <img src={icon} alt="" width={28} height={28} />
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm font-semibold">
              {isPending ? <Skeleton className="w-28" /> : (current?.name ?? 'Switchboard')}
            </span>
            <span className="block truncate text-xs text-ink-faint">
              {current === undefined
                ? 'No application'
                : current.state === 'disable'
                  ? 'Disabled application'
                  : 'Application'}
            </span>
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden />
        </MenuTrigger>
        <MenuContent className="w-60">
          {applications && applications.length > 0 && (
            <>
              <MenuLabel>Applications</MenuLabel>
              {applications.map(({ id, name }) => (
                <MenuChoice key={id} checked={id === current?.id} onSelect={() => go(id)}>
                  <span className="truncate">{name}</span>
                </MenuChoice>
              ))}
              <MenuSeparator />
            </>
          )}
          <MenuItem onSelect={() => setCreating(true)}>
            <Plus aria-hidden />
            New application
          </MenuItem>
        </MenuContent>
      </Menu>
      <CreateApplication
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={({ id }) => {
          setCreating(false);
          go(id);
        }}
      />
    </>
  );
}
