import { useQuery } from '@tanstack/react-query';

import type { Channel, Integration } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Moment } from '../ui/moment.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { OuterLink } from '../ui/page.tsx';
import { Prose } from '../ui/prose.tsx';
import { toast } from '../ui/toast.tsx';
import { labelsOf } from './fields.ts';
import { hookQuery, useRegister } from './queries.ts';

export interface ReceivingProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** How incoming messages arrive, and what to set up for it. */
export function Receiving({ application, integration, channel }: ReceivingProps) {
  const { receive } = channel.can;
  if (receive.includes('page')) return <ChatPage integration={integration} />;
  return (
    <Section title="Receiving" description="How what people write comes back to the application.">
      {receive.includes('hook') ? (
        <HookAddress application={application} integration={integration} channel={channel} />
      ) : receive.includes('session') ? (
        <p className="text-sm text-pretty text-ink-soft">
          Nothing to set up: while it is enabled, we stay connected to {channel.title} and hear what
          is written.
        </p>
      ) : (
        <p className="text-sm text-ink-soft">{channel.title} only sends.</p>
      )}
    </Section>
  );
}

function HookAddress({ application, integration, channel }: ReceivingProps) {
  const { data: hook, error, refetch } = useQuery(hookQuery(application, integration.id));
  const register = useRegister(application, integration.id);
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (!hook) return <Skeleton className="h-24" />;
  const missing = (channel.hook?.needs[0] ?? []).filter((name) => !(name in integration));
  return (
    <div className="grid gap-3">
      {missing.length > 0 && !hook.registered && (
        <Notice testId="unverified" tone="warn" title="What comes in is refused for now">
          Fill in {labelsOf(channel, missing).join(', ')} below, so that we can tell genuine calls.
          {channel.can.register && ' Registering does so by itself where that is possible.'}
        </Notice>
      )}
      {hook.url !== null && <Code title="Hook address" text={hook.url} />}
      <div className="flex flex-wrap items-center gap-3 text-sm">
        {hook.registered ? (
          <Badge tone="ok">Registered for you</Badge>
        ) : (
          <Badge tone="neutral">Not registered by us</Badge>
        )}
        {hook.registered_at !== null && (
          <Moment at={hook.registered_at} className="text-ink-faint" />
        )}
        {channel.can.register && (
          <Button
            data-testid="register"
            size="sm"
            className="ml-auto"
            busy={register.isPending}
            onClick={() =>
              register.mutate(undefined, {
                onSuccess: () => toast.ok(`${channel.title} now calls this address.`),
              })
            }
          >
            {hook.registered ? 'Register again' : 'Register it for me'}
          </Button>
        )}
      </div>
      {register.isError && <ProblemNotice error={register.error} />}
      {hook.setup !== null && !hook.registered && (
        <p className="text-sm text-pretty wrap-anywhere text-ink-soft">
          <Prose text={hook.setup} />
        </p>
      )}
    </div>
  );
}

/** The built-in chat: its URL and the HTML to embed it. */
function ChatPage({ integration }: { integration: Integration }) {
  const { public_url: url } = useSession();
  const embed = `<script src="${url}/webmessenger.js" data-integration="${integration.id}" async></script>`;
  return (
    <Section title="The chat" description="A page of its own, and a button on your site.">
      <div className="grid gap-3 text-sm">
        <p>
          <OuterLink href={`${url}/chat/${integration.id}`}>Open the chat</OuterLink>
        </p>
        <Code title="Paste this into your pages" text={embed} />
        <p className="text-pretty text-ink-soft">
          Whoever opens it is a visitor of their own. A site that knows its users signs who they are
          with the identity key, and adds <code className="font-mono text-xs">data-identity</code>.
        </p>
      </div>
    </Section>
  );
}
