import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { Check, Plus } from 'lucide-react';
import { useDeferredValue, useState } from 'react';

import type { Application } from '../api/types.ts';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { applicationSearchQuery } from './queries.ts';
import { ApplicationState } from './state.tsx';

interface PickerProps {
  current: number | undefined;
  onPick(application: Application): void;
  /** Called by the button “New application”, which is shown only if this is given. */
  onCreate?: () => void;
}

const ITEM =
  'flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 text-sm data-[selected=true]:bg-hover max-sm:py-2.5 [&_svg]:size-4 [&_svg]:shrink-0';

/** Chooses an application by name or id. The service searches, because a team may have thousands. */
export function ApplicationPicker({ current, onPick, onCreate }: PickerProps) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const { data, error, isPending, refetch } = useQuery(applicationSearchQuery(search));
  const [value, setValue] = useState('');
  // If new results lack the selected application, their first one is selected, so that Enter chooses it.
  const isListed = data?.items.some(({ id }) => String(id) === value) ?? false;
  const selected = isListed ? value : String(data?.items[0]?.id ?? '');
  return (
    <Command
      label="Applications"
      shouldFilter={false}
      loop
      value={selected}
      onValueChange={setValue}
      className="flex flex-col"
    >
      <Command.Input
        value={text}
        onValueChange={setText}
        autoFocus
        placeholder="Name or id"
        data-testid="application-search"
        className="w-full border-b border-line bg-transparent px-3 py-2.5 text-sm outline-none"
      />
      <Command.List className="max-h-72 overflow-y-auto p-1">
        {isPending && <SkeletonRows count={3} />}
        {error && <ProblemNotice error={error} onRetry={() => void refetch()} />}
        {data?.items.length === 0 && (
          <p data-testid="no-match" className="px-2 py-3 text-sm text-ink-faint">
            No matching applications
          </p>
        )}
        {data?.items.map((application) => (
          <Command.Item
            key={application.id}
            value={String(application.id)}
            onSelect={() => onPick(application)}
            className={ITEM}
          >
            <span className="min-w-0 flex-1 truncate" title={application.name}>
              {application.name}
            </span>
            {application.state === 'disable' && <ApplicationState state="disable" />}
            {application.id === current && (
              <Check className="text-accent-text" aria-label="Current" />
            )}
          </Command.Item>
        ))}
        {data?.next !== undefined && (
          <p className="px-2 py-1.5 text-xs text-ink-faint">
            Only the newest are listed. Type to find others.
          </p>
        )}
      </Command.List>
      {onCreate && (
        <div className="border-t border-line p-1">
          <button
            type="button"
            data-testid="new-application"
            onClick={onCreate}
            className={`${ITEM} w-full hover:bg-hover`}
          >
            <Plus className="text-ink-faint" aria-hidden />
            New application
          </button>
        </div>
      )}
    </Command>
  );
}
