import { queryOptions, useQuery } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import type { User } from '../api/types.ts';
import { Skeleton } from '../ui/list/skeleton.tsx';

const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['users', id],
    staleTime: 60_000,
    queryFn: ({ signal }) => api.get<User>(`/1/users/${id}`, { signal }),
  });

/** Name of a team member; the id if the user was removed. */
export function UserName({ id }: { id: number }) {
  const { data, isPending } = useQuery(userQuery(id));
  if (isPending) return <Skeleton className="w-24" />;
  return data?.name ?? `User ${id}`;
}
