import { Link } from '@tanstack/react-router';
import { Crown, Ellipsis, ScrollText, ToggleLeft, ToggleRight, UserMinus } from 'lucide-react';
import { useState } from 'react';

import type { Member } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '../ui/floating/menu.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { changeTeam, setMemberState } from './queries.ts';
import { RemoveMember } from './remove-member.tsx';

interface PendingAction {
  action: 'remove' | 'transfer' | 'disable';
  member: Member;
}

export function MemberTable({ members }: { members: readonly Member[] }) {
  const [pendingAction, setPendingAction] = useState<PendingAction>();
  return (
    <>
      <Table
        label="Members"
        head={
          <>
            <Th>Name</Th>
            <Th>Role</Th>
            <Th className="max-sm:hidden">Last seen</Th>
            <Th className="max-md:hidden">Joined</Th>
            <Th className="text-right">
              <span className="sr-only">Actions</span>
            </Th>
          </>
        }
      >
        {members.map((member) => (
          <Row
            key={member.id}
            member={member}
            onAction={(action) => setPendingAction({ action, member })}
          />
        ))}
      </Table>
      {pendingAction && (
        <ConfirmAction {...pendingAction} onClose={() => setPendingAction(undefined)} />
      )}
    </>
  );
}

function Row({
  member,
  onAction,
}: {
  member: Member;
  onAction(action: PendingAction['action']): void;
}) {
  const { user } = useSession();
  const { id, name, email, role, state, last_seen_at, created_at } = member;
  return (
    <Tr data-testid={`member-${id}`} data-state={state} data-role={role}>
      <Td className="w-full max-w-0 py-2 sm:w-1/2">
        <span className="block truncate font-medium max-sm:wrap-anywhere max-sm:whitespace-normal">
          {name}
          {id === user.id && <span className="font-normal text-ink-faint"> (you)</span>}
        </span>
        <span className="block truncate text-xs text-ink-faint">{email}</span>
      </Td>
      <Td className="whitespace-nowrap">
        <span className="flex gap-1 max-sm:flex-wrap">
          {role === 'owner' ? <Badge tone="accent">Owner</Badge> : <Badge>Member</Badge>}
          {state === 'disable' && <Badge tone="warn">Disabled</Badge>}
        </span>
      </Td>
      <Td className="whitespace-nowrap text-ink-soft max-sm:hidden">
        {last_seen_at === null ? 'Never' : <Time at={last_seen_at} />}
      </Td>
      <Td className="whitespace-nowrap text-ink-faint max-md:hidden">
        <Time at={created_at} />
      </Td>
      <Td className="text-right">
        <Actions member={member} onAction={onAction} />
      </Td>
    </Tr>
  );
}

function Actions({
  member,
  onAction,
}: {
  member: Member;
  onAction(action: PendingAction['action']): void;
}) {
  const { user } = useSession();
  const { id, name, state } = member;
  const canManage = user.owns_team && id !== user.id;
  return (
    <Menu>
      <MenuTrigger asChild>
        <Button
          data-testid="member-menu"
          look="quiet"
          size="iconSm"
          aria-label={`Actions for ${name}`}
        >
          <Ellipsis />
        </Button>
      </MenuTrigger>
      <MenuContent align="end">
        <MenuItem asChild>
          <Link data-testid="audit" to="/app/team/audit" search={{ actor: id }}>
            <ScrollText aria-hidden />
            Show audit log
          </Link>
        </MenuItem>
        {canManage && (
          <>
            <MenuSeparator />
            {state === 'enable' ? (
              <>
                <MenuItem data-testid="transfer" onSelect={() => onAction('transfer')}>
                  <Crown aria-hidden />
                  Transfer ownership
                </MenuItem>
                <MenuItem data-testid="disable" onSelect={() => onAction('disable')}>
                  <ToggleLeft aria-hidden />
                  Disable member
                </MenuItem>
              </>
            ) : (
              <MenuItem
                data-testid="enable"
                onSelect={() =>
                  void setMemberState(member, 'enable').then(
                    () => toast.ok(`${name} enabled`),
                    toast.error,
                  )
                }
              >
                <ToggleRight aria-hidden />
                Enable member
              </MenuItem>
            )}
            <MenuItem data-testid="remove" danger onSelect={() => onAction('remove')}>
              <UserMinus aria-hidden />
              Remove member
            </MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  );
}

/** Confirmation that states the consequences. */
function ConfirmAction({ action, member, onClose }: PendingAction & { onClose(): void }) {
  const { team } = useSession();
  const { id, name } = member;
  if (action === 'transfer') {
    return (
      <Confirm
        open
        onClose={onClose}
        title={`Transfer ${team.name} to ${name}?`}
        action="Transfer ownership"
        danger
        onConfirm={async () => {
          await changeTeam(team.id, { owner_id: id });
          toast.ok(`${name} now owns the team`);
        }}
      >
        {name} can then invite and remove members, including you. You stay a member, and only {name}{' '}
        can transfer the ownership back.
      </Confirm>
    );
  }
  if (action === 'disable') {
    return (
      <Confirm
        open
        onClose={onClose}
        title={`Disable ${name}?`}
        action="Disable member"
        danger
        onConfirm={async () => {
          await setMemberState(member, 'disable');
          toast.ok(`${name} disabled`);
        }}
      >
        {name} is signed out and cannot sign in until you enable the account. Applications keep
        working.
      </Confirm>
    );
  }
  return <RemoveMember member={member} onClose={onClose} />;
}
