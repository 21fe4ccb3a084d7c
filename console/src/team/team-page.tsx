import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { MailPlus, Plus } from 'lucide-react';
import { useState } from 'react';

import type { Invitation } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Section } from '../ui/card.tsx';
import { Button } from '../ui/form/button.tsx';
import { Confirm } from '../ui/form/confirm.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { SkeletonRows } from '../ui/list/skeleton.tsx';
import { Table, Td, Th, Tr } from '../ui/list/table.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { InviteDialog } from './invite.tsx';
import { MemberTable } from './member-table.tsx';
import { invitationsQuery, membersQuery, revokeInvitation } from './queries.ts';
import { RenameTeam } from './rename-team.tsx';
import { UserName } from './user-name.tsx';

export function TeamPage() {
  const { team, user } = useSession();
  const { invite = false } = useSearch({ from: '/app/framed/team' });
  const navigate = useNavigate({ from: '/app/team' });
  const open = (isOpen: boolean) =>
    void navigate({ search: isOpen ? { invite: true } : {}, replace: true });
  return (
    <Page
      title="Members"
      description={
        <>
          People who manage the applications of {team.name}. Their changes are in the{' '}
          <Link to="/app/team/audit" className={linkClass}>
            audit log
          </Link>
          .
        </>
      }
      actions={
        user.owns_team && (
          <Button data-testid="invite" look="primary" onClick={() => open(true)}>
            <Plus aria-hidden />
            Invite member
          </Button>
        )
      }
    >
      <div className="grid gap-4">
        <Members />
        <Invitations />
        {user.owns_team && <RenameTeam key={team.name} />}
      </div>
      <InviteDialog open={invite && user.owns_team} onClose={() => open(false)} />
    </Page>
  );
}

function Members() {
  const { team, user } = useSession();
  const { data, isPending, isLoadingError, error, refetch } = useQuery(membersQuery(team.id));
  if (isLoadingError) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Section
      title="Members"
      description={
        user.owns_team
          ? 'All members manage all applications. Only you, as the owner, can invite and remove members.'
          : 'All members manage all applications. Only the owner can invite and remove members.'
      }
      flush
    >
      {isPending ? <SkeletonRows count={3} /> : <MemberTable members={data} />}
    </Section>
  );
}

function Invitations() {
  const { user } = useSession();
  const { data, isPending, isLoadingError, error, refetch } = useQuery(invitationsQuery);
  const [revoking, setRevoking] = useState<Invitation>();
  if (isLoadingError) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Section
      title="Pending invitations"
      description="Unused invitation links. Each lets one person join."
      flush
    >
      {isPending ? (
        <SkeletonRows count={1} />
      ) : data.length === 0 ? (
        <Empty
          testId="no-invitations"
          icon={MailPlus}
          title="No pending invitations"
          className="py-8"
        >
          {user.owns_team
            ? 'Create an invitation link and share it with a new member.'
            : 'The owner of the team can create an invitation link.'}
        </Empty>
      ) : (
        <Table
          label="Pending invitations"
          head={
            <>
              <Th>For</Th>
              <Th className="max-sm:hidden">Invited by</Th>
              <Th>Expires</Th>
              {user.owns_team && (
                <Th className="text-right">
                  <span className="sr-only">Actions</span>
                </Th>
              )}
            </>
          }
        >
          {data.map((invitation) => (
            <Tr key={invitation.id}>
              <Td className="wrap-anywhere">
                {invitation.email ?? <span className="text-ink-faint">Anyone with the link</span>}
              </Td>
              <Td className="max-w-40 truncate text-ink-soft max-sm:hidden">
                {invitation.invited_by === user.id ? (
                  'You'
                ) : (
                  <UserName id={invitation.invited_by} />
                )}
              </Td>
              <Td className="whitespace-nowrap text-ink-soft">
                <Time at={invitation.expires_at} />
              </Td>
              {user.owns_team && (
                <Td className="text-right">
                  <Button
                    data-testid="revoke"
                    size="sm"
                    look="dangerQuiet"
                    onClick={() => setRevoking(invitation)}
                  >
                    Revoke
                  </Button>
                </Td>
              )}
            </Tr>
          ))}
        </Table>
      )}
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title="Revoke this invitation?"
        action="Revoke invitation"
        danger
        onConfirm={async () => {
          if (!revoking) return;
          await revokeInvitation(revoking.id);
          toast.ok('Invitation revoked');
        }}
      >
        Its link stops working at once. You can create another at any time.
      </Confirm>
    </Section>
  );
}
