import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';

import { fieldError } from '../api/problem.ts';
import type { Policies } from '../api/types.ts';
import { useChangeQuietHours } from '../applications/application.ts';
import { CATEGORIES } from '../playground/instructions.ts';
import { Button } from '../ui/form/button.tsx';
import { Form } from '../ui/form/form.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { Checkbox } from '../ui/form/toggle.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { PolicySection } from './policy-section.tsx';

type QuietHours = Policies['quiet_hours'];
type Rule = QuietHours['rules'][number];

const DAYS: Record<Rule['days'][number], string> = {
  mon: 'Mon',
  tue: 'Tue',
  wed: 'Wed',
  thu: 'Thu',
  fri: 'Fri',
  sat: 'Sat',
  sun: 'Sun',
};

const NEW_RULE: Rule = {
  categories: ['marketing'],
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from: '21:00',
  until: '08:00',
  action: 'defer',
};

/** Times at which the application sends no messages. */
export function QuietHoursPolicy({ application }: { application: number }) {
  return (
    <PolicySection
      application={application}
      policy="quiet_hours"
      title="Quiet hours"
      description="Times of the day, in the recipient's zone, in which messages wait or are refused."
      renderForm={(saved) => <QuietHoursForm application={application} saved={saved} />}
    />
  );
}

function QuietHoursForm({ application, saved }: { application: number; saved: QuietHours }) {
  const [zone, setZone] = useState(saved.default_zone ?? '');
  const [rules, setRules] = useState(saved.rules);
  const change = useChangeQuietHours(application);
  const zoneError = fieldError(change.error, 'quiet_hours/default_zone');
  const rulesError = fieldError(change.error, 'quiet_hours/rules');
  const wanted = { default_zone: zone.trim() === '' ? null : zone.trim(), rules };
  const isChanged =
    wanted.default_zone !== saved.default_zone ||
    JSON.stringify(rules) !== JSON.stringify(saved.rules);
  const addRule = () => {
    setRules([...rules, NEW_RULE]);
    // A first rule needs a zone for most recipients; this one is likely.
    if (zone === '') setZone(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  };
  const setRule = (index: number, rule: Rule) =>
    setRules(rules.map((each, i) => (i === index ? rule : each)));
  return (
    <Form
      className="grid gap-4"
      data-testid="quiet-hours"
      onSubmit={() => change.mutate(wanted, { onSuccess: () => toast.ok('Quiet hours saved') })}
    >
      <TextField
        label="Default zone"
        help="For recipients whose zone is not known from their phone number, such as Europe/Berlin."
        error={zoneError}
        data-testid="default-zone"
        value={zone}
        maxLength={64}
        onValue={setZone}
      />
      {rules.map((rule, i) => (
        <RuleFields
          // Rules have no id of their own, and only the last one is added.
          key={`rule-${String(i)}`}
          rule={rule}
          number={i + 1}
          onChange={(changed) => setRule(i, changed)}
          onRemove={() => setRules(rules.filter((_, other) => other !== i))}
        />
      ))}
      {change.isError && zoneError === undefined && rulesError === undefined && (
        <ProblemNotice error={change.error} />
      )}
      {rulesError !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {rulesError}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button data-testid="add-quiet-rule" onClick={addRule} disabled={rules.length >= 20}>
          <Plus aria-hidden />
          Add rule
        </Button>
        <Button
          type="submit"
          data-testid="save-quiet-hours"
          busy={change.isPending}
          disabled={!isChanged}
        >
          Save quiet hours
        </Button>
      </div>
    </Form>
  );
}

interface RuleFieldsProps {
  rule: Rule;
  number: number;
  onChange(rule: Rule): void;
  onRemove(): void;
}

function RuleFields({ rule, number, onChange, onRemove }: RuleFieldsProps) {
  return (
    <fieldset className="grid gap-3 rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium text-ink">Rule {number}</legend>
      <Choices
        names={CATEGORIES}
        chosen={rule.categories}
        onChange={(categories) => onChange({ ...rule, categories })}
      />
      <Choices names={DAYS} chosen={rule.days} onChange={(days) => onChange({ ...rule, days })} />
      <div className="grid gap-3 sm:grid-cols-3">
        {(['from', 'until'] as const).map((name) => (
          <TextField
            key={name}
            label={name === 'from' ? 'From' : 'Until'}
            type="time"
            required
            value={rule[name]}
            onValue={(text) => onChange({ ...rule, [name]: text })}
          />
        ))}
        <SelectField
          label="Messages"
          value={rule.action}
          onValue={(chosen) =>
            onChange({ ...rule, action: chosen === 'refuse' ? 'refuse' : 'defer' })
          }
        >
          <option value="defer">wait until the end</option>
          <option value="refuse">are refused</option>
        </SelectField>
      </div>
      <div>
        <Button onClick={onRemove}>
          <Trash2 aria-hidden />
          Remove rule {number}
        </Button>
      </div>
    </fieldset>
  );
}

interface ChoicesProps<Name extends string> {
  names: Record<Name, string>;
  chosen: readonly Name[];
  onChange(chosen: Name[]): void;
}

function Choices<Name extends string>({ names, chosen, onChange }: ChoicesProps<Name>) {
  const all = Object.keys(names) as Name[];
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-2">
      {all.map((name) => (
        <Checkbox
          key={name}
          label={names[name]}
          checked={chosen.includes(name)}
          onChange={({ target }) =>
            onChange(all.filter((each) => (each === name ? target.checked : chosen.includes(each))))
          }
        />
      ))}
    </div>
  );
}
