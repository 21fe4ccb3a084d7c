import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { ApplicationPicker } from '../applications/picker.tsx';
import { useApplicationById } from '../applications/queries.ts';
import { TimeFilter } from '../messages/time-filter.tsx';
import { useSession } from '../session/session.ts';
import { Menu, MenuChoice, MenuContent, MenuTrigger } from '../ui/floating/menu.tsx';
import { Popover, PopoverContent, PopoverTrigger } from '../ui/floating/popover.tsx';
import { Button } from '../ui/form/button.tsx';
import { FilterChip } from '../ui/form/filter-chip.tsx';
import { type AuditFilter, KINDS, kindsOf } from './audit-filter.ts';
import { membersQuery } from './queries.ts';

interface AuditBarProps {
  filter: AuditFilter;
  isFiltered: boolean;
  /** Changes part of the filter; undefined clears a value. */
  onChange(change: { [Name in keyof AuditFilter]: AuditFilter[Name] | undefined }): void;
  onClear(): void;
}

type PartProps = Pick<AuditBarProps, 'filter' | 'onChange'>;

export function AuditBar({ filter, isFiltered, onChange, onClear }: AuditBarProps) {
  return (
    <div role="search" aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <KindFilter filter={filter} onChange={onChange} />
      <ActorFilter filter={filter} onChange={onChange} />
      <ApplicationFilter filter={filter} onChange={onChange} />
      <TimeFilter range={filter} onChange={onChange} />
      {filter.subject !== undefined && (
        <Button size="sm" onClick={() => onChange({ subject: undefined })}>
          Clear filter: resource {filter.subject}
        </Button>
      )}
      {isFiltered && (
        <Button look="quiet" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

function KindFilter({ filter, onChange }: PartProps) {
  const chosen = kindsOf(filter);
  const toggle = (kind: string) => {
    const next = chosen.includes(kind) ? chosen.filter((each) => each !== kind) : [...chosen, kind];
    onChange({ action: next.join(',') || undefined });
  };
  const labels = chosen.map((kind) => KINDS[kind] ?? kind);
  return (
    <Menu>
      <FilterChip
        label="Action"
        testId="action"
        value={labels.length > 0 ? labels.join(', ') : undefined}
        onClear={() => onChange({ action: undefined })}
        trigger={MenuTrigger}
      />
      <MenuContent>
        {Object.entries(KINDS).map(([kind, label]) => (
          <MenuChoice
            key={kind}
            checked={chosen.includes(kind)}
            onSelect={(event) => event.preventDefault()}
            onCheckedChange={() => toggle(kind)}
          >
            {label}
          </MenuChoice>
        ))}
      </MenuContent>
    </Menu>
  );
}

function ActorFilter({ filter, onChange }: PartProps) {
  const { team } = useSession();
  const { data: members = [], isPending } = useQuery(membersQuery(team.id));
  const member = members.find(({ id }) => id === filter.actor);
  // An actor may be an application. Members are not looked up.
  const application = useApplicationById(isPending || member ? undefined : filter.actor);
  const shown = member?.name ?? application?.name;
  return (
    <Menu>
      <FilterChip
        label="Actor"
        testId="actor"
        value={filter.actor === undefined ? undefined : (shown ?? String(filter.actor))}
        onClear={() => onChange({ actor: undefined })}
        trigger={MenuTrigger}
      />
      <MenuContent>
        {members.map(({ id, name, email }) => (
          <MenuChoice
            key={id}
            checked={filter.actor === id}
            onSelect={() => onChange({ actor: id })}
          >
            <span className="min-w-0">
              <span className="block truncate">{name}</span>
              <span className="block truncate text-xs text-ink-faint">{email}</span>
            </span>
          </MenuChoice>
        ))}
      </MenuContent>
    </Menu>
  );
}

function ApplicationFilter({ filter, onChange }: PartProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { application } = filter;
  const selected = useApplicationById(application);
  return (
    <Popover open={isOpen} onOpenChange={setIsOpen}>
      <FilterChip
        label="Application"
        testId="application"
        value={application === undefined ? undefined : (selected?.name ?? String(application))}
        onClear={() => onChange({ application: undefined })}
        trigger={PopoverTrigger}
      />
      <PopoverContent className="overflow-hidden p-0" aria-label="Applications">
        <ApplicationPicker
          current={application}
          onPick={({ id }) => {
            setIsOpen(false);
            onChange({ application: id });
          }}
        />
      </PopoverContent>
    </Popover>
  );
}
