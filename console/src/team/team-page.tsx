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
import { Moment } from '../ui/moment.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { Page, linkClass } from '../ui/page.tsx';
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
          Who shares the applications of {team.name}. What they do is in the{' '}
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
            Invite somebody
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
  const { data, isPending, error, refetch } = useQuery(membersQuery(team.id));
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Section
      title="Members"
      description={
        user.owns_team
          ? 'Everyone manages all applications. You own the team: you alone invite and remove people.'
          : 'Everyone manages all applications. The owner alone invites and removes people.'
      }
      flush
    >
      {isPending ? <SkeletonRows count={3} /> : <MemberTable members={data} />}
    </Section>
  );
}

function Invitations() {
  const { user } = useSession();
  const { data, isPending, error, refetch } = useQuery(invitationsQuery);
  const [revoking, setRevoking] = useState<Invitation>();
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Section
      title="Pending invitations"
      description="Links that nobody has used yet. Each lets one person join."
      flush
    >
      {isPending ? (
        <SkeletonRows count={1} />
      ) : data.length === 0 ? (
        <Empty
          testId="no-invitations"
          icon={MailPlus}
          title="No invitation is pending"
          className="py-8"
        >
          {user.owns_team
            ? 'Make a link and pass it on by whatever way you trust; whoever opens it chooses a password and is in.'
            : 'The owner of the team can make a link that lets somebody join.'}
        </Empty>
      ) : (
        <Table
          label="Pending invitations"
          head={
            <>
              <Th>For</Th>
              <Th className="max-sm:hidden">Invited by</Th>
              <Th>Ends</Th>
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
                {invitation.email ?? <span className="text-ink-faint">Whoever has the link</span>}
              </Td>
              <Td className="text-ink-soft max-sm:hidden">
                {invitation.invited_by === user.id ? (
                  'You'
                ) : (
                  <UserName id={invitation.invited_by} />
                )}
              </Td>
              <Td className="whitespace-nowrap text-ink-soft">
                <Moment at={invitation.expires_at} />
              </Td>
              {user.owns_team && (
                <Td className="text-right">
                  <Button
                    data-testid="revoke"
                    size="sm"
                    look="dangerQuiet"
                    onClick={() => setRevoking(invitation)}
                  >
                    Revoke…
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
        action="Revoke it"
        danger
        onConfirm={async () => {
          if (!revoking) return;
          await revokeInvitation(revoking.id);
          toast.ok('The invitation is revoked.');
        }}
      >
        Its link stops working at once. You can make another at any time.
      </Confirm>
    </Section>
  );
}
