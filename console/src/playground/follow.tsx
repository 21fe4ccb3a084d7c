import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { useFeed } from '../api/realtime.ts';
import { useLiveApplication } from '../applications/queries.ts';
import { stateChange } from '../messages/list.ts';
import { attemptsQuery, isSettled, refetchMessage, messageQuery } from '../messages/queries.ts';
import { StateBadge } from '../messages/state.tsx';
import { Timeline } from '../messages/timeline.tsx';
import { Section } from '../ui/card.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { linkClass } from '../ui/page.tsx';

const POLL_INTERVAL_MS = 1_500;

/** State of a message that was just sent. */
export function Follow({ application, id }: { application: number; id: number }) {
  const { data, error } = useQuery({
    ...messageQuery(application, id),
    refetchInterval: ({ state }) =>
      state.data && isSettled(state.data.state) ? false : POLL_INTERVAL_MS,
  });
  const { data: attempts = [] } = useQuery({
    ...attemptsQuery(application, id),
    refetchInterval: () => (data && isSettled(data.state) ? false : POLL_INTERVAL_MS),
  });
  useFeed(useLiveApplication(application), ({ data: eventData }) => {
    if (stateChange(eventData)?.id === id) void refetchMessage(application, id);
  });
  return (
    <Section
      title={
        <Link
          to="/app/applications/$application/messages/$message"
          params={{ application: String(application), message: String(id) }}
          className={linkClass}
        >
          Message {id}
        </Link>
      }
      actions={<span role="status">{data && <StateBadge state={data.state} />}</span>}
    >
      {error ? (
        <ProblemNotice error={error} />
      ) : data ? (
        <Timeline message={data} attempts={attempts} />
      ) : (
        <Skeleton className="h-16 w-full" />
      )}
    </Section>
  );
}
