import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronsUpDown } from 'lucide-react';
import { Suspense, lazy, useState } from 'react';

import icon from '../frame/icon.svg';
import { Popover, PopoverContent, PopoverTrigger } from '../ui/floating/popover.tsx';
import { Skeleton, SkeletonRows } from '../ui/list/skeleton.tsx';
import { CreateApplication } from './create.tsx';
import { rememberApplication, useCurrentApplication } from './queries.ts';

const Picker = lazy(async () => ({ default: (await import('./picker.tsx')).ApplicationPicker }));

/** Shows the current application and switches to another. `onGo` is called before it navigates. */
export function ApplicationSwitcher({ onGo }: { onGo: (() => void) | undefined }) {
  const { application: requested } = useSearch({ strict: false });
  const { current, isPending } = useCurrentApplication(requested);
  const [isOpen, setIsOpen] = useState(false);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();

  function go(id: number) {
    setIsOpen(false);
    onGo?.();
    rememberApplication(id);
    const params = { application: String(id) };
    void navigate({ to: '/app/applications/$application/messages', params });
  }

  return (
    <>
      <Popover open={isOpen} onOpenChange={setIsOpen}>
        <PopoverTrigger
          data-testid="switch-application"
          title={current?.name}
          className="mb-2 flex items-center gap-2.5 rounded-md border border-line px-2 py-1.5 text-left hover:bg-hover data-[state=open]:bg-hover"
        >
          <img src={icon} alt="" width={28} height={28} />
          <span className="min-w-0 flex-1">
            <span className="block truncate text-sm font-semibold">
              {isPending ? <Skeleton className="my-0.5 w-28" /> : (current?.name ?? 'Switchboard')}
            </span>
            <span className="block truncate text-xs text-ink-faint">
              {isPending
                ? 'Application'
                : current === undefined
                  ? 'No application'
                  : current.state === 'disable'
                    ? 'Disabled application'
                    : 'Application'}
            </span>
          </span>
          <ChevronsUpDown className="size-4 shrink-0 text-ink-faint" aria-hidden />
        </PopoverTrigger>
        <PopoverContent className="w-72 overflow-hidden p-0" aria-label="Applications">
          <Suspense fallback={<SkeletonRows count={3} />}>
            <Picker
              current={current?.id}
              onPick={({ id }) => go(id)}
              onCreate={() => {
                setIsOpen(false);
                setCreating(true);
              }}
            />
          </Suspense>
        </PopoverContent>
      </Popover>
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
