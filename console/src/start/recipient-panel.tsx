import { Smartphone } from 'lucide-react';

import { Handset } from '../sandbox/handset.tsx';
import { Empty } from '../ui/list/empty.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { ChatPanel } from './chat-panel.tsx';
import type { Target } from './target.ts';

interface RecipientPanelProps {
  application: number | undefined;
  target: Target | undefined;
  onPerson(address: string): void;
}

/** The recipient's view: the phone of a simulated person, or the web chat. */
export function RecipientPanel({ application, target, onPerson }: RecipientPanelProps) {
  if (application === undefined || !target) {
    return (
      <div className="flex h-[34rem] max-h-[80dvh] w-full items-center justify-center rounded-3xl border border-dashed border-line">
        <Empty icon={Smartphone} title="Phone">
          Choose a channel to see the phone of the recipient here.
        </Empty>
      </div>
    );
  }
  const { integration, channel, sandbox, to } = target;
  if (integration.mode !== 'sandbox') {
    return <ChatPanel application={application} integration={integration.id} />;
  }
  if (!sandbox || to === undefined) return <Skeleton className="h-96 rounded-3xl" />;
  return (
    <Handset
      key={`${integration.id} ${to}`}
      application={application}
      integration={integration.id}
      channel={channel}
      sandbox={sandbox}
      address={to}
      onAddress={onPerson}
    />
  );
}
