import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';

import type { Integration } from '../api/types.ts';
import { fullName } from '../integrations/integration-name.tsx';
import { channelsQuery } from '../integrations/queries.ts';
import { poolsQuery } from '../pools/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { type DryRunState, errorAt } from './dry-run.ts';
import { CONDITIONS, type AddedRoute, MAX_ADDED_ROUTES } from './instructions.ts';

interface RouteFieldsProps {
  application: number;
  integrations: readonly Integration[];
  value: readonly AddedRoute[];
  dryRun: DryRunState;
  onChange(value: readonly AddedRoute[]): void;
}

/** Other routes to the person: when each starts, through what, and to which address. */
export function RouteFields(props: RouteFieldsProps) {
  const { application, integrations, value, dryRun, onChange } = props;
  const { data: channels } = useQuery(channelsQuery);
  const { data: pools } = useInfiniteQuery(poolsQuery(application));
  const choices = [
    ...integrations.map((each) => ({ via: String(each.id), label: fullName(each, channels) })),
    ...(pools?.pages ?? []).flatMap(({ items }) =>
      items.map(({ name }) => ({ via: `pool:${name}`, label: `Pool ${name}` })),
    ),
  ];
  const change = (i: number, changed: Partial<AddedRoute>) =>
    onChange(value.map((each, k) => (k === i ? { ...each, ...changed } : each)));
  return (
    <fieldset className="grid gap-3" data-testid="routes">
      <legend className="mb-1.5 text-sm font-medium">
        Other routes <span className="font-normal text-ink-faint">(optional)</span>
      </legend>
      {value.map((route, i) => (
        <div
          // Routes have no id, only a position.
          // oxlint-disable-next-line react/no-array-index-key
          key={i}
          data-testid={`route-${i + 2}`}
          className="grid items-start gap-3 rounded-md border border-line p-3 sm:grid-cols-2"
        >
          <SelectField
            label="Unless it is"
            error={errorAt(dryRun, `/routes/${i}/until`)}
            data-testid="until"
            value={route.until}
            onValue={(chosen) => {
              const until = CONDITIONS.find((each) => each === chosen);
              if (until) change(i, { until });
            }}
          >
            {CONDITIONS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </SelectField>
          <TextField
            label="Within (minutes)"
            error={errorAt(dryRun, `/routes/${i}/after`)}
            data-testid="minutes"
            type="number"
            min="0.1"
            step="any"
            value={route.minutes}
            onValue={(text) => change(i, { minutes: text })}
          />
          <SelectField
            label="Send through"
            error={errorAt(dryRun, `/routes/${i + 1}/via`)}
            data-testid="via"
            value={route.via}
            onValue={(chosen) => change(i, { via: chosen })}
          >
            {choices.map(({ via, label }) => (
              <option key={via} value={via}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label="To"
            optional
            help="Empty: the same recipient."
            error={errorAt(dryRun, `/routes/${i + 1}/to`)}
            data-testid="route-to"
            value={route.to}
            onValue={(text) => change(i, { to: text })}
          />
          <div className="sm:col-span-2">
            <Button
              size="sm"
              look="quiet"
              data-testid="remove-route"
              onClick={() => onChange(value.filter((_, k) => k !== i))}
            >
              <X aria-hidden />
              Remove route {i + 2}
            </Button>
          </div>
        </div>
      ))}
      {value.length < MAX_ADDED_ROUTES && (
        <div>
          <Button
            size="sm"
            data-testid="add-route"
            onClick={() =>
              onChange([
                ...value,
                { until: 'sent', minutes: '2', via: choices[0]?.via ?? '', to: '' },
              ])
            }
          >
            <Plus aria-hidden />
            Add route
          </Button>
        </div>
      )}
    </fieldset>
  );
}
