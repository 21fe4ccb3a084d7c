import type { Key } from '../api/types.ts';
import { UserName } from '../team/user-name.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/form/button.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { Time, parseTime, useNow } from '../ui/time.tsx';

interface KeyTableProps {
  kind: 'token' | 'key';
  keys: readonly Key[];
  onRevoke(key: Key): void;
}

export function KeyTable({ kind, keys, onRevoke }: KeyTableProps) {
  return (
    <Table
      testId={`${kind}s`}
      label={kind === 'token' ? 'Tokens' : 'Signing keys'}
      head={
        <>
          <Th>Label</Th>
          <Th className="max-sm:hidden">Created by</Th>
          <Th>Last used</Th>
          {kind === 'token' && <Th>Expires</Th>}
          <Th className="max-sm:hidden">Created</Th>
          <Th className="text-right">
            <span className="sr-only">Actions</span>
          </Th>
        </>
      }
    >
      {keys.map((key) => (
        <Tr key={key.id}>
          <Td className="wrap-anywhere">
            {key.label !== null && <span className="mr-2 font-medium">{key.label}</span>}
            <Copyable text={String(key.id)} />
            {key.state === 'disable' && (
              <Badge tone="warn" className="ml-2">
                Disabled
              </Badge>
            )}
          </Td>
          <Td className="max-w-40 truncate text-ink-soft max-sm:hidden">
            {key.created_by === null ? 'Operator' : <UserName id={key.created_by} />}
          </Td>
          <Td className="whitespace-nowrap text-ink-soft">
            {key.last_used_at === null ? 'Never' : <Time at={key.last_used_at} />}
          </Td>
          {kind === 'token' && (
            <Td className="whitespace-nowrap text-ink-soft">
              <End at={key.expires_at} />
            </Td>
          )}
          <Td className="whitespace-nowrap text-ink-faint max-sm:hidden">
            <Time at={key.created_at} />
          </Td>
          <Td className="text-right">
            <Button data-testid="revoke" size="sm" look="dangerQuiet" onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          </Td>
        </Tr>
      ))}
    </Table>
  );
}

function End({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return 'Never';
  return parseTime(at) < now ? <Badge tone="warn">Expired</Badge> : <Time at={at} />;
}
