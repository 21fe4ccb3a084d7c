import type { Channel } from '../channels/channel.ts';
import type { Loss } from '../compose/losses.ts';
import { type Plan, type Step, makePlan } from '../compose/plan.ts';
import { referencesOf, resolve } from '../compose/references.ts';
import type { Activity } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { CredentialName } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import type { Draft } from './draft.ts';
import { checkChange } from './earlier.ts';
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
  { activity, text, pointer }: Draft,
): Promise<Preview> {
  const { id: integrationId, name, channel } = candidate;
  const recipient = String(activity.to.id);
  const wrong = channel?.recipient.check(recipient);
  const missing = { credentials: candidate.missing, recipient: wrong };
  const preview = { integrationId, channel, recipient };
  const integration = await store.integrations.get(applicationId, integrationId);
  if (!channel || !integration) {
    const unknown = { ...missing, channel: `the channel ${name} is not known any more` };
    return { ...preview, steps: [], losses: [], missing: unknown };
  }
  await checkChange(store, applicationId, candidate, activity, recipient, pointer);
  const place = { applicationId, integrationId, recipient };
  const earlier = await resolve(referencesOf(activity), (one) =>
    store.deliveries.channelIds(place, one),
  );
  const { credentials } = integration;
  // As it is written, where it goes out as it is written.
  const said = channel.forms === 'whole' ? (JSON.parse(text) as Activity) : activity;
  const plan = makePlan(said, channel, { recipient, credentials, earlier });
  return {
    ...preview,
    ...plan,
    missing: { ...missing, channel: troubleWith(channel, plan, activity) },
  };
}

function troubleWith(channel: Channel, { steps }: Plan, { type }: Activity): string | undefined {
  if (!channel.send) return `${channel.title} cannot be sent to yet`;
  if (steps.length > 0) return undefined;
  return type === 'Create'
    ? 'there is nothing in it that could be sent'
    : 'nothing of the earlier message is out yet';
}
