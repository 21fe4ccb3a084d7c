import type { Channel } from '../channels/channel.ts';
import type { Loss } from '../compose/losses.ts';
import { type Step, makePlan } from '../compose/plan.ts';
import type { Activity } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { CredentialName } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import { findTarget, refersToEarlier } from './earlier.ts';
import type { Candidate } from './routing.ts';

/** How a message would go out, and what would be lost on the way. */
export interface Preview {
  integrationId: Id;
  channel: Channel | undefined;
  recipient: string;
  steps: Step[];
  losses: readonly Loss[];
  /** What has to be put right before it can be sent. */
  missing: {
    credentials: readonly CredentialName[];
    recipient: string | undefined;
    channel: string | undefined;
  };
}

export async function previewOf(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  activity: Activity,
  pointer: string,
): Promise<Preview> {
  const { id: integrationId, name, channel } = candidate;
  const recipient = String(activity.to.id);
  const preview = {
    integrationId,
    channel,
    recipient,
    missing: {
      credentials: candidate.missing,
      recipient: channel?.recipient.check(recipient),
      channel: troubleWith(channel, name),
    },
  };
  const integration = await store.integrations.get(applicationId, integrationId);
  if (!channel || !integration) return { ...preview, steps: [], losses: [] };
  const targetId = refersToEarlier(activity)
    ? await findTarget(store, candidate, activity, recipient, pointer)
    : null;
  const earlier = targetId === null ? undefined : await store.deliveries.channelIds(targetId);
  const { credentials } = integration;
  return { ...preview, ...makePlan(activity, channel, { recipient, credentials, earlier }) };
}

function troubleWith(channel: Channel | undefined, name: string): string | undefined {
  if (!channel) return `the channel ${name} is not known any more`;
  return channel.send ? undefined : `${channel.title} cannot be sent to yet`;
}
