import { useQuery } from '@tanstack/react-query';

import { channelsQuery } from '../integrations/queries.ts';

/** Titles of channels by name, such as "Web Messenger"; the name while they load. */
export function useChannelTitles(): (name: string) => string {
  const { data = [] } = useQuery(channelsQuery);
  return (name) => data.find((channel) => channel.name === name)?.title ?? name;
}
