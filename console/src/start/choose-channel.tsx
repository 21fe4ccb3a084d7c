import { useQuery } from '@tanstack/react-query';

import type { Channel, Integration } from '../api/types.ts';
import { ChannelMark } from '../integrations/channel-mark.tsx';
import { channelsQuery, useCreateSandbox } from '../integrations/queries.ts';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ProblemNotice } from '../ui/notice.tsx';
import { useCreateTestChat } from './chat.ts';

const WEB_CHAT = 'webmessenger';

interface ChooseChannelProps {
  application: number;
  onChosen(integration: Integration): void;
}

/** Creates an integration of any channel that needs no account: a simulated one, or the built-in web chat. */
export function ChooseChannel({ application, onChosen }: ChooseChannelProps) {
  const { data: channels, error } = useQuery(channelsQuery);
  const createSandbox = useCreateSandbox(application);
  const createChat = useCreateTestChat(application);
  const isBusy = createSandbox.isPending || createChat.isPending;
  const choose = ({ name }: Channel) => {
    if (name === WEB_CHAT) createChat.mutate(undefined, { onSuccess: onChosen });
    else createSandbox.mutate(name, { onSuccess: onChosen });
  };
  const offered = channels?.filter(({ name, sandbox }) => sandbox || name === WEB_CHAT);
  const failure = error ?? createSandbox.error ?? createChat.error;
  return (
    <div className="grid gap-3">
      <p className="text-pretty text-ink-soft">
        An integration connects the application to a channel. In the sandbox, a simulator takes the
        place of the vendor: it needs no account, and nothing leaves the machine.
      </p>
      {!offered && !error && <Skeleton className="w-1/2" />}
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(9rem,1fr))] gap-2">
        {offered?.map((channel) => (
          <li key={channel.name}>
            <button
              type="button"
              data-testid={`choose-${channel.name}`}
              disabled={isBusy}
              onClick={() => choose(channel)}
              className="flex w-full min-w-0 items-center gap-2 rounded-md border border-line bg-surface px-2.5 py-2 text-left text-sm font-medium hover:border-line-strong hover:bg-hover disabled:opacity-55"
            >
              <ChannelMark name={channel.name} />
              <span className="truncate" title={channel.title}>
                {channel.title}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {failure && <ProblemNotice error={failure} />}
    </div>
  );
}
