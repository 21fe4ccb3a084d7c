import { queryOptions, useMutation } from '@tanstack/react-query';

import { api, openPost } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type {
  AuditEntry,
  Invitation,
  InvitationOffer,
  Key,
  Member,
  NewInvitation,
  User,
} from '../api/types.ts';
import { sessionQuery } from '../session/session.ts';
import { type AuditFilter, auditQueryOf } from './audit-filter.ts';

const KEY = ['team'];

export const membersQuery = (team: number) =>
  queryOptions({
    queryKey: [...KEY, 'members'],
    queryFn: async ({ signal }) => {
      const path = `/1/teams/${team}/members`;
      return (await api.list<Member>(path, { query: { limit: 1000 }, signal })).items;
    },
  });

export const invitationsQuery = queryOptions({
  queryKey: [...KEY, 'invitations'],
  queryFn: async ({ signal }) =>
    (await api.list<Invitation>('/1/invitations', { query: { limit: 1000 }, signal })).items,
});

export const auditQuery = (filter: AuditFilter) =>
  pagesOptions<AuditEntry>([...KEY, 'audit', filter], '/1/audit', {
    query: { ...auditQueryOf(filter), limit: 50 },
  });

const refetchTeam = () => queryClient.invalidateQueries({ queryKey: KEY });

export const useInvite = () =>
  useMutation({
    mutationFn: (fields: { email?: string; days: number }) =>
      api.post<NewInvitation>('/1/invitations', fields),
    onSuccess: refetchTeam,
  });

export async function revokeInvitation(id: number): Promise<void> {
  await api.delete(`/1/invitations/${id}`);
  await refetchTeam();
}

/** Maximum number of a member's keys that the removal dialog shows. */
export const MAX_SHOWN_KEYS = 100;

/** Keys and tokens that a member created for applications, newest first. */
export const createdKeysQuery = (user: number) =>
  queryOptions({
    queryKey: [...KEY, 'created-keys', user],
    queryFn: async ({ signal }) => {
      const query = { created_by: user, limit: MAX_SHOWN_KEYS };
      return (await api.list<Key>('/1/keys/applications', { query, signal })).items;
    },
  });

export async function removeMember(id: number, revokeKeys: boolean): Promise<void> {
  await api.delete(`/1/users/${id}`, { query: { revoke_keys: revokeKeys } });
  await refetchTeam();
}

export async function setMemberState({ id, email }: Member, state: Member['state']): Promise<void> {
  await api.put(`/1/users/${id}`, { email, state });
  await refetchTeam();
}

/** Renames the team or transfers its ownership. Refreshes the session, which contains the owner. */
export async function changeTeam(
  team: number,
  change: { name?: string; owner_id?: number },
): Promise<void> {
  await api.put(`/1/teams/${team}`, change);
  await Promise.all([
    refetchTeam(),
    queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey }),
  ]);
}

export const offerQuery = (code: string) =>
  queryOptions({
    queryKey: ['invitation', code],
    staleTime: Infinity,
    queryFn: () => openPost<InvitationOffer>('/1/invitations/preview', { code }),
  });

export interface Acceptance {
  code: string;
  name: string;
  email: string;
  password: string;
}

export const acceptInvitation = (fields: Acceptance) =>
  openPost<User>('/1/invitations/accept', fields);
