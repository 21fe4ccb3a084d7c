import { useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Plus, X } from 'lucide-react';
import { useState } from 'react';

import { ApiProblem, fieldError, sentence } from '../api/problem.ts';
import type { Integration, Pool } from '../api/types.ts';
import { fullName } from '../integrations/integration-name.tsx';
import { channelsQuery, integrationsQuery } from '../integrations/queries.ts';
import { Button } from '../ui/form/button.tsx';
import { FormDialog } from '../ui/form/form-dialog.tsx';
import { Input, Select } from '../ui/form/input.tsx';
import { SelectField } from '../ui/form/select-field.tsx';
import { TextField } from '../ui/form/text-field.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { useSavePool } from './queries.ts';
import { STRATEGIES, type Strategy, isStrategy, secondsOf } from './strategies.ts';

const MAX_MEMBERS = 10;

interface MemberDraft {
  integration: number;
  weight: string;
  price: string;
}

const memberOf = ({ integration_id, weight, price }: Pool['members'][number]): MemberDraft => ({
  integration: integration_id,
  weight: String(weight),
  price: price === null ? '' : String(price),
});

interface PoolDialogProps {
  application: number;
  /** Undefined for a new pool. */
  pool: Pool | undefined;
  onClose(): void;
}

/** Name, strategy and members of a pool. */
export function PoolDialog({ application, pool, onClose }: PoolDialogProps) {
  const [name, setName] = useState(pool?.name ?? '');
  const [strategy, setStrategy] = useState<Strategy>(pool?.strategy ?? 'order');
  const [seconds, setSeconds] = useState(String(secondsOf(pool?.failover_after ?? 'PT30S')));
  const [members, setMembers] = useState<MemberDraft[]>(() => pool?.members.map(memberOf) ?? []);
  const save = useSavePool(application, pool?.id);
  const { error } = save;
  const errors = {
    name: fieldError(error, 'name'),
    failover: fieldError(error, 'failover_after'),
    members: membersError(error),
  };
  const isShown = Object.values(errors).some((each) => each !== undefined);
  return (
    <FormDialog
      title={pool ? 'Edit pool' : 'New pool'}
      action={pool ? 'Save pool' : 'Create pool'}
      width="md"
      busy={save.isPending}
      onClose={onClose}
      onSubmit={() =>
        save.mutate(
          {
            name: name.trim(),
            strategy,
            failover_after: `PT${seconds.trim() || '30'}S`,
            members: members.map(({ integration, weight, price }) => ({
              integration_id: integration,
              weight: Number(weight) || 1,
              price: price.trim() === '' ? null : Number(price),
            })),
          },
          {
            onSuccess: () => {
              toast.ok(pool ? 'Pool saved' : 'Pool created');
              onClose();
            },
          },
        )
      }
    >
      {save.isError && !isShown && <ProblemNotice error={error} />}
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <TextField
          data-testid="name"
          label="Name"
          help="Messages name it as pool:NAME. Lowercase letters, digits, - and _."
          error={errors.name}
          spellCheck={false}
          placeholder="sms"
          maxLength={64}
          value={name}
          onValue={setName}
        />
        <TextField
          data-testid="failover"
          label="Failover after (seconds)"
          help="How long a member may keep a message waiting: 5 to 3600."
          error={errors.failover}
          type="number"
          min={5}
          max={3600}
          value={seconds}
          onValue={setSeconds}
        />
        <SelectField
          label="Strategy"
          help={STRATEGIES[strategy].help}
          className="sm:col-span-2"
          data-testid="strategy"
          value={strategy}
          onValue={(chosen) => {
            if (isStrategy(chosen)) setStrategy(chosen);
          }}
        >
          {Object.entries(STRATEGIES).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <Members
        application={application}
        strategy={strategy}
        members={members}
        error={errors.members}
        onChange={setMembers}
      />
    </FormDialog>
  );
}

/** The first error of the members, wherever it is. */
function membersError(error: unknown): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const found = error.errors.find(({ pointer }) => pointer.startsWith('/members'));
  return found && sentence(found.detail);
}

interface MembersProps {
  application: number;
  strategy: Strategy;
  members: readonly MemberDraft[];
  error: string | undefined;
  onChange(members: MemberDraft[]): void;
}

function Members({ application, strategy, members, error, onChange }: MembersProps) {
  const { data: integrations = [] } = useQuery(integrationsQuery(application));
  const { data: channels } = useQuery(channelsQuery);
  const nameOf = (id: number) => {
    const found = integrations.find((each) => each.id === id);
    return found ? fullName(found, channels) : `Integration ${id}`;
  };
  const used = new Set(members.map(({ integration }) => integration));
  const free = integrations.filter(({ id }) => !used.has(id));
  const change = (index: number, part: Partial<MemberDraft>) =>
    onChange(members.map((member, i) => (i === index ? { ...member, ...part } : member)));
  const move = (from: number, to: number) => {
    const [moved, other] = [members[from], members[to]];
    if (!moved || !other) return;
    onChange(members.map((member, i) => (i === from ? other : i === to ? moved : member)));
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">Members</legend>
      {error !== undefined && (
        <p role="alert" data-testid="members-error" className="text-sm text-bad">
          {error}
        </p>
      )}
      <ol className="grid gap-2">
        {members.map((member, i) => (
          <li
            key={member.integration}
            data-testid="member-row"
            className="flex flex-wrap items-center gap-2 rounded-md border border-line px-2 py-1.5"
          >
            <span className="min-w-0 flex-1 basis-40 text-sm wrap-anywhere">
              {nameOf(member.integration)}
            </span>
            {strategy === 'weighted' && (
              <Input
                type="number"
                min={1}
                max={1000}
                data-testid="weight"
                aria-label={`Weight of ${nameOf(member.integration)}`}
                className="w-20"
                value={member.weight}
                onChange={({ target }) => change(i, { weight: target.value })}
              />
            )}
            {strategy === 'least_cost' && (
              <Input
                type="number"
                min={0}
                step="any"
                data-testid="price"
                aria-label={`Price per message of ${nameOf(member.integration)}`}
                placeholder="Price"
                className="w-24"
                value={member.price}
                onChange={({ target }) => change(i, { price: target.value })}
              />
            )}
            <span className="flex">
              <Button
                look="quiet"
                size="iconSm"
                data-testid="up"
                aria-label={`Move ${nameOf(member.integration)} up`}
                disabled={i === 0}
                onClick={() => move(i, i - 1)}
              >
                <ArrowUp aria-hidden />
              </Button>
              <Button
                look="quiet"
                size="iconSm"
                aria-label={`Move ${nameOf(member.integration)} down`}
                disabled={i === members.length - 1}
                onClick={() => move(i, i + 1)}
              >
                <ArrowDown aria-hidden />
              </Button>
              <Button
                look="quiet"
                size="iconSm"
                data-testid="remove-member"
                aria-label={`Remove ${nameOf(member.integration)}`}
                onClick={() => onChange(members.filter((_member, index) => index !== i))}
              >
                <X aria-hidden />
              </Button>
            </span>
          </li>
        ))}
      </ol>
      {free.length > 0 && members.length < MAX_MEMBERS && (
        <AddMember
          free={free}
          nameOf={nameOf}
          onAdd={(integration) => onChange([...members, { integration, weight: '1', price: '' }])}
        />
      )}
    </fieldset>
  );
}

interface AddMemberProps {
  free: readonly Integration[];
  nameOf(id: number): string;
  onAdd(integration: number): void;
}

function AddMember({ free, nameOf, onAdd }: AddMemberProps) {
  const [chosen, setChosen] = useState<number>();
  const integration = free.find(({ id }) => id === chosen) ?? free[0];
  return (
    <div className="flex gap-2">
      <Select
        aria-label="Integration to add"
        data-testid="integration"
        className="min-w-0 flex-1"
        value={integration?.id}
        onChange={({ target }) => setChosen(Number(target.value))}
      >
        {free.map(({ id }) => (
          <option key={id} value={id}>
            {nameOf(id)}
          </option>
        ))}
      </Select>
      <Button data-testid="add-member" onClick={() => integration && onAdd(integration.id)}>
        <Plus aria-hidden />
        Add member
      </Button>
    </div>
  );
}
