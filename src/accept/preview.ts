import type { Channel } from '../channels/channel.ts';
import type { WindowState } from '../channels/window.ts';
import { withCurrentMedia } from '../compose/current-media.ts';
import type { Degradation } from '../compose/degradations.ts';
import { formattedIn } from '../compose/formatted.ts';
import { planSafely } from '../compose/isolated-plan.ts';
import type { Plan, Step } from '../compose/plan.ts';
import { type ReceivedFile, isFetched } from '../compose/received-media.ts';
import { referencesOf, resolve } from '../compose/references.ts';
import { templateStep } from '../compose/template-step.ts';
import type { Formatted } from '../lib/rich-text/accidental-formats.ts';
import { type Activity, endOf } from '../model/activity.ts';
import type { Id } from '../model/id.ts';
import type { CredentialName } from '../model/integration.ts';
import type { AddressChoice } from '../model/people/address-choice.ts';
import { Problem } from '../model/problem.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { MessageRoute } from '../model/sending/message-route.ts';
import type { Store } from '../store/store.ts';
import { checkChange } from './changes/change-check.ts';
import { type PreviewedConsent, consentOf, recipientSuppressed } from './consent/consent.ts';
import type { Draft } from './draft.ts';
import { type OutboundMedia, publicUrlMissing, resolveMedia } from './media.ts';
import { optionsOf } from './options.ts';
import { type Candidate, recipientFault, recipientOf, whyUndeliverable } from './routing.ts';
import type { Departure } from './send-at.ts';
import { type ShownTemplate, previewTemplates, withTemplate } from './templates/preview.ts';
import { windowClosed } from './window-check.ts';

/** A route of a previewed message. */
export interface PreviewedRoute extends Pick<MessageRoute, 'via' | 'until' | 'afterMs'> {
  preview: Preview;
}

/** The rendered message and its degradations. */
export interface Preview {
  integrationId: Id;
  channel: Channel | undefined;
  recipient: string;
  steps: Step[];
  degradations: readonly Degradation[];
  formatted: readonly Formatted[];
  /** The values of the channel's options that the message is sent with. */
  options: MessageOptions;
  /** Whether the recipient accepts the message; undefined if it needs no consent. */
  consent: PreviewedConsent | undefined;
  /** When it would leave; null if at once. */
  dueAt: Departure['dueAt'];
  zoneSource: Departure['zoneSource'];
  /** The received files in the message. */
  files: readonly ReceivedFile[];
  /** Whether the vendor accepts free text now; undefined if it always does. */
  window: WindowState | undefined;
  /** The template that is sent; undefined for free text. */
  template: ShownTemplate | undefined;
  /** All routes of a message with routes. The fields above are those of the first usable route. */
  routes?: readonly PreviewedRoute[];
  /** The address that was chosen, for a message to a contact. */
  contact: AddressChoice | undefined;
  /** The problem that sending would return. */
  problem: Problem | undefined;
  /** Problems to fix before the message can be sent. */
  missing: {
    credentials: readonly CredentialName[];
    recipient: string | undefined;
    channel: string | undefined;
    publicUrl: string | undefined;
  };
}

const AT_ONCE: Departure = { dueAt: null, zoneSource: null, reason: null, refusal: null };

interface PreviewContext {
  media?: OutboundMedia | undefined;
  /** When it would leave, or why it would not; at once by default. */
  departure?: Departure | Problem;
  window?: WindowState | undefined;
  /** Whether to render the templates that the draft names. */
  withTemplates?: boolean;
}

export async function previewOf(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
  { media, departure = AT_ONCE, window, withTemplates = false }: PreviewContext = {},
): Promise<Preview> {
  const templates = withTemplates
    ? await previewTemplates(store, applicationId, candidate, draft, window)
    : {};
  const { pointer } = draft;
  const { object: content, filled } = templates;
  const filledDraft = content ? withTemplate(draft, content) : draft;
  const filledActivity = filledDraft.activity;
  const { id: integrationId, name, channel } = candidate;
  const recipient = recipientOf(candidate, filledActivity);
  const invalidRecipient = channel && recipientFault(channel, recipient);
  const missing = {
    credentials: candidate.missing,
    recipient: invalidRecipient,
    channel: undefined,
    publicUrl: undefined,
  };
  const problem = whyUndeliverable(candidate, filledActivity, recipient, pointer);
  const { options, problem: optionProblem } = optionsOf(candidate, draft);
  const consent = await consentOf(store, applicationId, candidate, draft, media?.urls);
  const refused = consent?.because ? recipientSuppressed(pointer) : undefined;
  const timing = departure instanceof Problem ? { ...AT_ONCE, refusal: departure } : departure;
  const { zoneSource, refusal } = timing;
  const dueAt = refusal ? null : timing.dueAt;
  // Later, the window may be open again.
  const isClosed = window?.state === 'closed' && !filled && dueAt === null;
  const closed = isClosed ? windowClosed(pointer) : undefined;
  const preview = {
    integrationId,
    channel,
    recipient,
    options,
    consent,
    dueAt,
    zoneSource,
    window,
    template: templates.shown,
    contact: draft.contact,
    problem: problem ?? optionProblem ?? templates.problem ?? refused ?? refusal ?? closed,
  };
  const integration = await store.integrations.get(applicationId, integrationId);
  if (!channel || !integration) {
    const unknown = { ...missing, channel: `the channel ${name} no longer exists` };
    return { ...preview, steps: [], degradations: [], formatted: [], files: [], missing: unknown };
  }
  if (filled && channel.templates) {
    const to = { recipient, credentials: integration.credentials, options };
    const steps = [templateStep(channel, filled, to)];
    return { ...preview, steps, degradations: [], formatted: [], files: [], missing };
  }
  await checkChange(store, applicationId, candidate, filledActivity, recipient, pointer, dueAt);
  const place = { applicationId, integrationId, recipient };
  const current = await withCurrentMedia(filledActivity, channel, (one) =>
    store.deliveries.activities(place, one),
  );
  const whole = { ...filledDraft, activity: current.activity };
  const { activity, text, files } = await resolveMedia(applicationId, whole, media);
  const earlier = await resolve(referencesOf(activity), (one) =>
    store.deliveries.sentParts(place, one),
  );
  const { credentials } = integration;
  // Channels that take the whole activity get it exactly as it was received.
  const sent = channel.renderers === 'whole' ? (JSON.parse(text) as Activity) : activity;
  const plan = await planSafely(sent, channel, {
    recipient,
    credentials,
    options: optionProblem ? {} : options,
    expiresAt: endOf(activity),
    earlier,
    received: files.map(({ signedUrl }) => signedUrl),
    keepsFiles: current.keepsFiles,
  });
  const { steps, degradations, texts } = plan;
  // A simulated vendor fetches nothing.
  const isFetching = integration.mode === 'live' && isFetched(steps, files);
  const unreachable =
    media && !media.urls.isPublic && isFetching ? publicUrlMissing(channel, pointer) : undefined;
  return {
    ...preview,
    problem: preview.problem ?? unreachable,
    steps,
    files,
    degradations,
    formatted: formattedIn(texts, channel, { recipient, credentials, options }),
    missing: {
      ...missing,
      channel: channelFault(channel, plan, activity),
      publicUrl: unreachable?.message,
    },
  };
}

/** Throws a Problem for a received file that does not exist, or that the vendor cannot fetch. */
export async function checkMedia(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
  media: OutboundMedia,
): Promise<void> {
  const { files } = await resolveMedia(applicationId, draft, media);
  if (files.length === 0 || media.urls.isPublic || !candidate.channel) return;
  // Only a rendered message shows whether the vendor would fetch the file.
  const { missing } = await previewOf(store, applicationId, candidate, draft, { media });
  if (missing.publicUrl !== undefined) throw publicUrlMissing(candidate.channel, draft.pointer);
}

function channelFault(channel: Channel, { steps }: Plan, { type }: Activity): string | undefined {
  if (!channel.send) return `sending through ${channel.title} is not supported yet`;
  if (steps.length > 0) return undefined;
  return type === 'Create'
    ? 'the message has no content to send'
    : 'the earlier message was not sent yet';
}
