import { useQuery } from '@tanstack/react-query';

import type { Channel, Integration } from '../api/types.ts';
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx';
import { ChannelMark } from './channel-mark.tsx';
import { MAX_LISTED, channelsQuery, integrationsQuery } from './queries.ts';

/* How the console names an integration, everywhere. */

type NamedIntegration = Pick<Integration, 'id' | 'name' | 'label' | 'account'>;

/** Its label, else the account that a check found, else its channel and id. */
export function integrationName(
  integration: NamedIntegration,
  channels: readonly Channel[] = [],
): string {
  return integration.label ?? integration.account ?? channelAndId(integration, channels);
}

/** Channel and id, such as "Telegram 51". */
export function channelAndId(
  { id, name }: NamedIntegration,
  channels: readonly Channel[] = [],
): string {
  return `${channels.find((channel) => channel.name === name)?.title ?? name} ${id}`;
}

/** The name where no mark can be beside it: "Support bot (Telegram 51)". */
export function fullName(integration: NamedIntegration, channels: readonly Channel[] = []): string {
  const [name, plain] = [
    integrationName(integration, channels),
    channelAndId(integration, channels),
  ];
  return name === plain ? name : `${name} (${plain})`;
}

/** Details that the name lacks: channel and id, the account behind a label, or a setting that is not secret. */
export function integrationDetail(
  integration: Integration,
  channels: readonly Channel[] = [],
): string {
  const { label, account, username, address } = integration;
  const isNamed = label !== undefined || account !== undefined;
  const settings = [username, address].filter((value) => value?.startsWith('•') === false);
  const parts = isNamed
    ? [channelAndId(integration, channels), label === undefined ? undefined : account]
    : settings.slice(0, 1);
  return parts.filter((part) => part !== undefined).join(' · ');
}

interface IntegrationNameProps {
  application: number;
  id: number;
  /** Its channel, if known: a deleted integration has only that. */
  channel?: string | undefined;
  /**
   * Whether the message or event beside it is from the sandbox, even if the integration is live now. Default: the
   * integration's current mode.
   */
  sandbox?: boolean | undefined;
  /** On one line of a list. Elsewhere a long name wraps. */
  compact?: boolean;
}

/** The mark and name of an integration. */
export function IntegrationName(props: IntegrationNameProps) {
  const { application, id, channel, sandbox, compact = false } = props;
  const { data: integrations } = useQuery(integrationsQuery(application));
  const { data: channels } = useQuery(channelsQuery);
  const integration = integrations?.find((each) => each.id === id);
  const mark = integration?.name ?? channel;
  const isSandbox = sandbox ?? integration?.mode === 'sandbox';
  return (
    <span
      className="inline-flex max-w-full min-w-0 items-center gap-1.5"
      title={integration && fullName(integration, channels)}
    >
      {mark !== undefined && <ChannelMark name={mark} />}
      <span className={compact ? 'truncate' : 'min-w-0 wrap-anywhere'}>
        {integration
          ? integrationName(integration, channels)
          : integrations && integrations.length < MAX_LISTED
            ? `Deleted integration ${id}`
            : `Integration ${id}`}
      </span>
      {isSandbox && <SandboxBadge integration={{ mode: 'sandbox' }} compact={compact} />}
    </span>
  );
}
