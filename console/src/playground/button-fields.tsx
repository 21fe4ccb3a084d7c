import { Plus, X } from 'lucide-react';

import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/input.tsx';
import { type ButtonDraft, type UnknownRecord, buttonsOf, putButtons } from './draft.ts';

interface ButtonFieldsProps {
  activity: UnknownRecord;
  onChange(activity: UnknownRecord): void;
}

export function ButtonFields({ activity, onChange }: ButtonFieldsProps) {
  const buttons = buttonsOf(activity);
  const change = (index: number, part: Partial<ButtonDraft>) =>
    onChange(
      putButtons(
        activity,
        buttons.map((button, i) => (i === index ? { ...button, ...part } : button)),
      ),
    );
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">
        Buttons <span className="font-normal text-ink-faint">(optional)</span>
      </legend>
      {buttons.map(({ name, url, value }, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- buttons have no id, only a position
        <div key={i} className="flex gap-2">
          <Input
            aria-label={`Button ${i + 1}: label`}
            placeholder="Yes"
            value={name}
            onChange={(event) => change(i, { name: event.target.value })}
          />
          <Input
            aria-label={`Button ${i + 1}: URL`}
            placeholder="https://, tel: or mailto: (optional)"
            inputMode="url"
            spellCheck={false}
            value={url}
            onChange={(event) => change(i, { url: event.target.value })}
          />
          <Input
            aria-label={`Button ${i + 1}: value`}
            placeholder="Value in the reply (optional)"
            spellCheck={false}
            value={value}
            onChange={(event) => change(i, { value: event.target.value })}
          />
          <Button
            look="quiet"
            size="icon"
            aria-label={`Remove button ${i + 1}`}
            onClick={() =>
              onChange(
                putButtons(
                  activity,
                  buttons.filter((_button, index) => index !== i),
                ),
              )
            }
          >
            <X />
          </Button>
        </div>
      ))}
      <div>
        <Button
          data-testid="add-button"
          size="sm"
          onClick={() =>
            onChange(putButtons(activity, [...buttons, { name: 'Yes', url: '', value: '' }]))
          }
        >
          <Plus aria-hidden />
          Add button
        </Button>
      </div>
    </fieldset>
  );
}
