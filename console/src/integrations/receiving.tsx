import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';

import { sentence } from '../api/problem.ts';
import type { Channel, Integration } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Badge } from '../ui/badge.tsx';
import { Fact, Section } from '../ui/card.tsx';
import { Code } from '../ui/code.tsx';
import { Button } from '../ui/form/button.tsx';
import { Skeleton } from '../ui/list/skeleton.tsx';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import { OuterLink, linkClass } from '../ui/page.tsx';
import { Prose } from '../ui/prose.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { labelsOf } from './form/fields.ts';
import { ReceivingGuide } from './form/guide.tsx';
import { healthQuery, hookQuery, useRegister } from './queries.ts';

interface ReceivingProps {
  application: number;
  integration: Integration;
  channel: Channel;
}

/** How incoming messages arrive, and what to set up for it. */
export function Receiving({ application, integration, channel }: ReceivingProps) {
  const { receive } = channel.can;
  if (receive.includes('page')) return <ChatPage integration={integration} />;
  return (
    <Section title="Receiving" description="How incoming messages reach the application.">
      {receive.includes('hook') ? (
        <HookAddress application={application} integration={integration} channel={channel} />
      ) : receive.includes('session') ? (
        <Session application={application} integration={integration} channel={channel} />
      ) : (
        <p className="text-sm text-ink-soft">{channel.title} can only send.</p>
      )}
    </Section>
  );
}

const SESSION_STATES = {
  unknown: { tone: 'neutral', label: 'Not connected yet' },
  working: { tone: 'ok', label: 'Connected' },
  failing: { tone: 'bad', label: 'Failing' },
} as const;

function Session({ application, integration, channel }: ReceivingProps) {
  const { data: health } = useQuery(healthQuery(application, integration.id));
  const receiving = integration.state === 'enable' ? health?.receiving : undefined;
  const { tone, label } = SESSION_STATES[receiving?.state ?? 'unknown'];
  const isSandbox = integration.mode === 'sandbox';
  if (channel.name === 'email' && !isSandbox && !hasImapServer(integration.address ?? '')) {
    return (
      <div data-testid="no-imap-server" className="grid gap-3">
        <p className="text-sm text-pretty text-ink-soft">
          To receive email, add an IMAP server to the server address.
        </p>
        <ReceivingGuide channel={channel} />
      </div>
    );
  }
  return (
    <div className="grid justify-items-start gap-3">
      {receiving && (
        <span data-testid="session" data-state={receiving.state}>
          <Badge tone={tone}>{label}</Badge>
        </span>
      )}
      <p className="text-sm text-pretty text-ink-soft">
        No setup required. While the integration is enabled, it stays connected to{' '}
        {isSandbox ? 'the simulator' : channel.title} and receives messages.
      </p>
    </div>
  );
}

/** The address of an email integration is an SMTP server, optionally followed by an IMAP server. */
const hasImapServer = (address: string) => /[\s,]imaps?:/i.test(address);

function HookAddress({ application, integration, channel }: ReceivingProps) {
  const { data: hook, error, refetch } = useQuery(hookQuery(application, integration.id));
  const register = useRegister(application, integration.id);
  if (error) return <ProblemNotice error={error} onRetry={() => void refetch()} />;
  if (!hook) return <Skeleton className="h-24" />;
  const isSandbox = integration.mode === 'sandbox';
  const missing = isSandbox
    ? []
    : (channel.hook?.needs[0] ?? []).filter((name) => !(name in integration));
  return (
    <div className="grid gap-3">
      {missing.length > 0 && !hook.registered && (
        <Notice testId="unverified" tone="warn" title="Incoming webhooks are refused">
          To verify them, add {labelsOf(channel, missing).join(', ')} below.
          {channel.can.register &&
            ' Registering the webhook sets it where the channel supports this.'}
        </Notice>
      )}
      {hook.url !== null && <Code title="Webhook URL" text={hook.url} />}
      <dl className="grid gap-2 text-sm" data-testid="hook-state">
        {!isSandbox && (
          <Fact name="Registration">
            <span className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
              {hook.registered ? (
                <Badge tone="ok">Registered</Badge>
              ) : (
                <Badge tone="neutral">{channel.can.register ? 'Not registered' : 'By hand'}</Badge>
              )}
              {hook.registered_at !== null && (
                <Time at={hook.registered_at} className="text-ink-faint" />
              )}
              {channel.can.register && (
                <Button
                  data-testid="register"
                  size="sm"
                  busy={register.isPending}
                  onClick={() =>
                    register.mutate(undefined, {
                      onSuccess: () => toast.ok(`Webhook registered with ${channel.title}`),
                    })
                  }
                >
                  {hook.registered ? 'Register again' : 'Register webhook'}
                </Button>
              )}
            </span>
          </Fact>
        )}
        <Fact name="Last request">
          {hook.received_at === null ? (
            <span data-received="never" className="text-ink-soft">
              Nothing received yet
            </span>
          ) : (
            <span data-received="yes">
              <Time at={hook.received_at} />
            </span>
          )}
        </Fact>
        {hook.refused && (
          <Fact name="Last refused">
            <span data-testid="hook-refused">
              <Time at={hook.refused.at} />
              <span className="block text-pretty text-bad">{sentence(hook.refused.detail)}</span>
            </span>
          </Fact>
        )}
      </dl>
      {register.isError && <ProblemNotice error={register.error} />}
      {isSandbox && (
        <p data-testid="simulated" className="text-sm text-pretty text-ink-soft">
          No setup required. The simulator posts what people do on the{' '}
          <Link
            to="/app/applications/$application/integrations/$integration/phone"
            params={{ application: String(application), integration: String(integration.id) }}
            className={linkClass}
          >
            phone
          </Link>{' '}
          to this URL.
        </p>
      )}
      {hook.setup !== null && !hook.registered && !isSandbox && (
        <p className="text-sm text-pretty wrap-anywhere text-ink-soft">
          <Prose text={hook.setup} />
        </p>
      )}
      {!isSandbox && <ReceivingGuide channel={channel} />}
    </div>
  );
}

/** The built-in chat: its URL and the HTML to embed it. */
function ChatPage({ integration }: { integration: Integration }) {
  const { public_url: url } = useSession();
  const embed = `<script src="${url}/webmessenger.js" data-integration="${integration.id}" async></script>`;
  return (
    <Section title="Web chat" description="A chat page, and a chat button for your site.">
      <div className="grid gap-3 text-sm">
        <p>
          <OuterLink href={`${url}/chat/${integration.id}`}>Open chat page</OuterLink>
        </p>
        <Code title="HTML for your site" text={embed} />
        <p className="text-pretty text-ink-soft">
          Each browser is a separate visitor. If your site knows its users, sign their identity with
          the identity key and add <code className="font-mono text-xs">data-identity</code>.
        </p>
      </div>
    </Section>
  );
}
