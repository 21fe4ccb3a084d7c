import { Skeleton } from '../ui/list/skeleton.tsx';
import { useApplicationById } from './queries.ts';

/** The name of an application of which only the id is known. */
export function ApplicationName({ id }: { id: number }) {
  const application = useApplicationById(id);
  if (application === undefined) return <Skeleton className="inline-block w-24" />;
  return application?.name ?? `Deleted application ${id}`;
}
