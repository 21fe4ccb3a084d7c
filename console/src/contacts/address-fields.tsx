import { useQuery } from '@tanstack/react-query';

import type { Channel } from '../api/types.ts';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Prose } from '../ui/prose.tsx';
import { channelOf } from './address-text.tsx';

export interface AddressDraft {
  channel: string;
  address: string;
}

interface AddressFieldsProps {
  application: number;
  draft: AddressDraft;
  /** Errors of the fields. */
  errors: { channel: string | undefined; address: string | undefined };
  onChange(draft: AddressDraft): void;
}

/** An address of a person: a channel or family of channels, and the address on it. */
export function AddressFields({ application, draft, errors, onChange }: AddressFieldsProps) {
  const { data: channels = [] } = useQuery(channelsQuery);
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const simulated = simulatedFamilies(
    integrations.filter(({ mode }) => mode === 'sandbox').map((one) => one.name),
    channels,
    draft.channel,
  );
  const { name } = channelOf(draft);
  const form = channels.find((channel) => channel.name === name)?.recipient;
  const help =
    name === 'sms' || name === 'rcs'
      ? 'A phone number with + and country code.'
      : form && <Prose text={`Such as \`${form.example}\`.`} />;
  return (
    <div className="grid items-start gap-3 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <SelectField
        label="Channel"
        error={errors.channel}
        data-testid="channel"
        value={draft.channel}
        onValue={(chosen) => onChange({ ...draft, channel: chosen })}
      >
        {options(channels, draft.channel).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {simulated.length > 0 && (
          <optgroup label="Sandbox">
            {simulated.map((channel) => (
              <option key={channel} value={channel}>
                {channelOf({ channel }, channels).title}
              </option>
            ))}
          </optgroup>
        )}
      </SelectField>
      <TextField
        data-testid="address"
        label="Address"
        help={help}
        error={errors.address}
        spellCheck={false}
        value={draft.address}
        onValue={(address) => onChange({ ...draft, address })}
      />
    </div>
  );
}

/** Channels of SMS reach the same addresses, so there is one entry for them. */
function options(channels: readonly Channel[], chosen: string) {
  const others = channels
    .filter(({ category, name }) => category !== 'sms' || name === chosen)
    .map(({ name, title }) => ({ value: name, label: title }));
  return [{ value: 'sms', label: 'SMS' }, ...others, { value: 'rcs', label: 'RCS' }];
}

/** The families of the simulated people of these channels, such as `sandbox.sms`. */
function simulatedFamilies(
  names: readonly string[],
  channels: readonly Channel[],
  chosen: string,
): string[] {
  const families = names.map((name) => {
    const isSms = channels.find((channel) => channel.name === name)?.category === 'sms';
    return `sandbox.${isSms ? 'sms' : name}`;
  });
  return [...new Set([...families, ...(chosen.startsWith('sandbox.') ? [chosen] : [])])];
}
