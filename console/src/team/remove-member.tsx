import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import type { Key, Member } from '../api/types.ts';
import { Confirm } from '../ui/form/confirm.tsx';
import { Checkbox } from '../ui/form/toggle.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { MAX_SHOWN_KEYS, createdKeysQuery, removeMember } from './queries.ts';

/** Removes a member and, if chosen, revokes the keys and tokens that they created for applications. */
export function RemoveMember({ member, onClose }: { member: Member; onClose(): void }) {
  const { id, name, email } = member;
  const keys = useQuery(createdKeysQuery(id));
  const [revoking, setRevoking] = useState(false);
  return (
    <Confirm
      open
      onClose={onClose}
      title={`Remove ${name}?`}
      action="Remove member"
      danger
      requiredText={email}
      onConfirm={async () => {
        await removeMember(id, revoking);
        toast.ok(`${name} removed`);
      }}
    >
      <p>
        Their sessions and personal keys are revoked permanently. Their applications keep working
        and become yours. Their audit entries stay.
      </p>
      {keys.isPending && <SkeletonRows count={1} />}
      {keys.isError && <ProblemNotice error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.data && keys.data.length > 0 && (
        <div className="mt-3 grid gap-3">
          <p>Keys and tokens that this member created for applications, and may have copied:</p>
          <div className="max-h-56 overflow-y-auto rounded-md ring-1 ring-line">
            <CreatedKeys keys={keys.data} />
          </div>
          {keys.data.length === MAX_SHOWN_KEYS && (
            <p>Only the newest {MAX_SHOWN_KEYS} are shown.</p>
          )}
          <Checkbox
            data-testid="revoke-keys"
            checked={revoking}
            onChange={(event) => setRevoking(event.target.checked)}
            label="Revoke these keys and tokens. Programs that use them stop working."
          />
        </div>
      )}
    </Confirm>
  );
}

function CreatedKeys({ keys }: { keys: readonly Key[] }) {
  return (
    <Table
      testId="made-keys"
      label="Keys and tokens created by this member"
      head={
        <>
          <Th>Label</Th>
          <Th>Application</Th>
          <Th>Last used</Th>
        </>
      }
    >
      {keys.map((key) => (
        <Tr key={key.id}>
          <Td className="wrap-anywhere">{key.label ?? `No label (${key.id})`}</Td>
          <Td>{key.resource_id}</Td>
          <Td className="whitespace-nowrap">
            {key.last_used_at === null ? 'Never' : <Time at={key.last_used_at} />}
          </Td>
        </Tr>
      ))}
    </Table>
  );
}
