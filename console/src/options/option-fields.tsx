import type { Channel, MessageOptions } from '../api/types.ts';
import { Field, type FieldControl } from '../ui/form/field.tsx';
import { Input, Select } from '../ui/form/input.tsx';
import { linkClass } from '../ui/page.tsx';
import { Prose } from '../ui/prose.tsx';
import { type ChannelOption, withValue } from './option-values.ts';

interface OptionFieldsProps {
  channel: Channel;
  values: MessageOptions;
  onChange(values: MessageOptions): void;
  /** Defaults of the integration, which apply to unset options. */
  defaults?: MessageOptions | undefined;
  /** Error of an option. */
  errorOf(name: string): string | undefined;
}

/** A control for each option of a channel. Unset options are not sent. */
export function OptionFields({ channel, values, onChange, defaults, errorOf }: OptionFieldsProps) {
  return (
    <div className="grid items-start gap-x-4 gap-y-5 sm:grid-cols-2">
      {channel.options.map((option) => (
        <Field
          key={option.name}
          label={option.label}
          help={<OptionHelp option={option} />}
          error={errorOf(option.name)}
        >
          {(control) => (
            <OptionControl
              control={control}
              option={option}
              value={values[option.name]}
              inherited={defaults?.[option.name]}
              onChange={(value) => onChange(withValue(values, option.name, value))}
            />
          )}
        </Field>
      ))}
    </div>
  );
}

function OptionHelp({ option: { help, link, label } }: { option: ChannelOption }) {
  return (
    <>
      <Prose text={help} />{' '}
      {link !== null && (
        <a
          href={link}
          target="_blank"
          rel="noreferrer"
          className={linkClass}
          aria-label={`Documentation of ${label}`}
        >
          Documentation
        </a>
      )}
    </>
  );
}

interface OptionControlProps {
  control: FieldControl;
  option: ChannelOption;
  value: MessageOptions[string] | undefined;
  inherited: MessageOptions[string] | undefined;
  onChange(value: MessageOptions[string] | undefined): void;
}

function OptionControl({ control, option, value, inherited, onChange }: OptionControlProps) {
  const { name, type, minimum, maximum, unit, choices, max_length: maxLength, example } = option;
  const shared = { ...control, 'data-testid': `option-${name}`, value: String(value ?? '') };
  const unset = inherited === undefined ? 'Not set' : `Default: ${String(inherited)}`;
  switch (type) {
    case 'boolean':
      return (
        <Select
          {...shared}
          onChange={({ target }) =>
            onChange(target.value === '' ? undefined : target.value === 'true')
          }
        >
          <option value="">{unset}</option>
          <option value="true">true</option>
          <option value="false">false</option>
        </Select>
      );
    case 'integer':
      return (
        <span className="flex items-center gap-2">
          <Input
            {...shared}
            type="number"
            step={1}
            min={minimum}
            max={maximum}
            className="max-w-40"
            placeholder={inherited === undefined ? `${minimum} to ${maximum}` : unset}
            onChange={({ target }) =>
              onChange(target.value === '' ? undefined : Number(target.value))
            }
          />
          {unit !== undefined && <span className="text-sm text-ink-soft">{unit}</span>}
        </span>
      );
    case 'choice':
      return (
        <Select {...shared} onChange={({ target }) => onChange(target.value || undefined)}>
          <option value="">{unset}</option>
          {choices?.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </Select>
      );
    case 'text':
      return (
        <Input
          {...shared}
          maxLength={maxLength}
          autoComplete="off"
          spellCheck={false}
          placeholder={inherited === undefined ? example && `Such as ${example}` : unset}
          onChange={({ target }) => onChange(target.value || undefined)}
        />
      );
  }
}
