import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { ChannelMark } from '../integrations/channel-mark.tsx';
import { fullName, integrationName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { Menu, MenuChoice, MenuContent, MenuLabel, MenuTrigger } from '../ui/floating/menu.tsx';
import { Popover, PopoverContent, PopoverTrigger } from '../ui/floating/popover.tsx';
import { Button } from '../ui/form/button.tsx';
import { FilterChip } from '../ui/form/filter-chip.tsx';
import { Form } from '../ui/form/form.tsx';
import { SearchInput } from '../ui/form/input.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { type MessageFilter, isFiltered, statesOf } from './filter.ts';
import { STATES } from './state.tsx';
import { TimeFilter } from './time-filter.tsx';

interface FilterBarProps {
  application: number;
  filter: MessageFilter;
  /** Changes part of the filter; undefined clears a value. */
  onChange(change: { [Name in keyof MessageFilter]: MessageFilter[Name] | undefined }): void;
  onClear(): void;
}

export function FilterBar({ application, filter, onChange, onClear }: FilterBarProps) {
  return (
    <div role="search" aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
      <IdSearch value={filter.id ?? ''} onValue={(id) => onChange({ id: id || undefined })} />
      <StateFilter filter={filter} onChange={onChange} />
      <IntegrationFilter application={application} filter={filter} onChange={onChange} />
      <RecipientFilter filter={filter} onChange={onChange} />
      <TimeFilter range={filter} onChange={onChange} />
      {isFiltered(filter) && (
        <Button data-testid="clear-filters" look="quiet" size="sm" onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

type PartProps = Pick<FilterBarProps, 'filter' | 'onChange'>;

function IdSearch({ value, onValue }: { value: string; onValue(value: string): void }) {
  return (
    <SearchInput
      id="message-search"
      aria-label="Search by message id"
      placeholder="Message id"
      className="w-44 max-sm:w-full"
      inputMode="numeric"
      value={value}
      onValue={(text) => onValue(text.replaceAll(/\D/g, ''))}
    />
  );
}

function StateFilter({ filter, onChange }: PartProps) {
  const chosen = statesOf(filter);
  const toggle = (state: string) => {
    const next = chosen.some((each) => each === state)
      ? chosen.filter((each) => each !== state)
      : [...chosen, state];
    onChange({ state: next.join(',') || undefined });
  };
  const labels = chosen.map((state) => STATES[state].label);
  return (
    <Menu>
      <FilterChip
        label="State"
        testId="state"
        value={labels.length > 0 ? labels.join(', ') : undefined}
        onClear={() => onChange({ state: undefined })}
        trigger={MenuTrigger}
      />
      <MenuContent>
        {Object.entries(STATES).map(([state, { label, icon: Icon }]) => (
          <MenuChoice
            key={state}
            checked={chosen.some((each) => each === state)}
            onSelect={(event) => event.preventDefault()}
            onCheckedChange={() => toggle(state)}
          >
            <Icon aria-hidden />
            {label}
          </MenuChoice>
        ))}
      </MenuContent>
    </Menu>
  );
}

function IntegrationFilter({ application, filter, onChange }: PartProps & { application: number }) {
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const { data: catalog } = useQuery(channelsQuery);
  const channels = [...new Set(integrations.map(({ name }) => name))].toSorted();
  const named = integrations.find(({ id }) => id === filter.integration);
  const value =
    filter.integration === undefined
      ? filter.channel
      : named
        ? integrationName(named, catalog)
        : String(filter.integration);
  return (
    <Menu>
      <FilterChip
        label="Integration"
        testId="integration"
        value={value}
        onClear={() => onChange({ integration: undefined, channel: undefined })}
        trigger={MenuTrigger}
      />
      <MenuContent>
        {channels.length > 0 && <MenuLabel>Channels</MenuLabel>}
        {channels.map((channel) => (
          <MenuChoice
            key={channel}
            checked={filter.channel === channel}
            onSelect={() => onChange({ channel, integration: undefined })}
          >
            <ChannelMark name={channel} />
            {channel}
          </MenuChoice>
        ))}
        <MenuLabel>Integrations</MenuLabel>
        {integrations.map((integration) => (
          <MenuChoice
            key={integration.id}
            checked={filter.integration === integration.id}
            onSelect={() => onChange({ integration: integration.id, channel: undefined })}
          >
            <ChannelMark name={integration.name} />
            {fullName(integration, catalog)}
          </MenuChoice>
        ))}
        {integrations.length === 0 && <p className="px-2 py-1.5 text-ink-faint">No integrations</p>}
      </MenuContent>
    </Menu>
  );
}

function RecipientFilter({ filter, onChange }: PartProps) {
  const [open, setOpen] = useState(false);
  const [to, setTo] = useState(filter.to ?? '');
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <FilterChip
        label="Recipient"
        testId="recipient"
        value={filter.to}
        onClear={() => {
          setTo('');
          onChange({ to: undefined });
        }}
        trigger={PopoverTrigger}
      />
      <PopoverContent aria-label="Recipient">
        <Form
          className="grid gap-3"
          onSubmit={() => {
            onChange({ to: to.trim() || undefined });
            setOpen(false);
          }}
        >
          <TextField label="Recipient" help="The exact recipient id." value={to} onValue={setTo} />
          <Button type="submit" data-testid="apply" look="primary">
            Apply
          </Button>
        </Form>
      </PopoverContent>
    </Popover>
  );
}
