import { useState } from 'react';

import { Popover, PopoverContent, PopoverTrigger } from '../ui/floating/popover.tsx';
import { Button } from '../ui/form/button.tsx';
import { FilterChip } from '../ui/form/filter-chip.tsx';
import { Form } from '../ui/form/form.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { formatExact, parseTime } from '../ui/time.tsx';
import { SINCE, type Since, type TimeRange, apiTime, localInputTime } from './filter.ts';

interface TimeFilterProps {
  range: TimeRange;
  onChange(range: Required<TimeRange>): void;
}

const ANY = { since: undefined, after: undefined, before: undefined };

function timeLabel({ since, after, before }: TimeRange): string | undefined {
  if (since !== undefined) return SINCE[since].label;
  if (after === undefined && before === undefined) return undefined;
  const [from, to] = [after, before].map((text) =>
    text === undefined ? '' : formatExact(parseTime(text)),
  );
  return after === undefined
    ? `until ${to}`
    : before === undefined
      ? `since ${from}`
      : `${from} to ${to}`;
}

export function TimeFilter({ range, onChange }: TimeFilterProps) {
  const [open, setOpen] = useState(false);
  const choose = (chosen: TimeRange) => {
    onChange({ ...ANY, ...chosen });
    setOpen(false);
  };
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <FilterChip
        label="Time"
        testId="time"
        value={timeLabel(range)}
        onClear={() => onChange(ANY)}
        trigger={PopoverTrigger}
      />
      <PopoverContent aria-label="Time">
        <div className="mb-3 grid grid-cols-2 gap-1.5 border-b border-line pb-3">
          {Object.entries(SINCE).map(([since, { label }]) => (
            <Button
              key={since}
              size="sm"
              aria-pressed={range.since === since}
              className="aria-pressed:border-accent/40 aria-pressed:bg-accent-soft aria-pressed:text-accent-text"
              onClick={() => choose({ since: since as Since })}
            >
              {label}
            </Button>
          ))}
        </div>
        <Between range={range} onApply={choose} onClose={() => setOpen(false)} />
      </PopoverContent>
    </Popover>
  );
}

interface BetweenProps {
  range: TimeRange;
  onApply(range: TimeRange): void;
  onClose(): void;
}

function Between({ range, onApply, onClose }: BetweenProps) {
  const [after, setAfter] = useState(() => inputTime(range.after));
  const [before, setBefore] = useState(() => inputTime(range.before));
  return (
    <Form
      className="grid gap-3"
      onSubmit={() => onApply({ after: utcTime(after), before: utcTime(before) })}
    >
      <TextField label="From" type="datetime-local" step={1} value={after} onValue={setAfter} />
      <TextField label="To" type="datetime-local" step={1} value={before} onValue={setBefore} />
      <div className="flex gap-2">
        <Button type="submit" data-testid="apply" look="primary" className="flex-1">
          Apply
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Form>
  );
}

const utcTime = (text: string) => (text === '' ? undefined : apiTime(new Date(text).getTime()));

const inputTime = (text: string | undefined) =>
  text === undefined ? '' : localInputTime(parseTime(text));
