import { type Channel, missingCredentials } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import type { Activity } from '../model/activity.ts';
import { parseId } from '../model/id.ts';
import type { CredentialName, IntegrationOutline } from '../model/integration.ts';
import { Problem, type ProblemCode, invalidFields } from '../model/problem.ts';
import { valueProblem } from './button-values.ts';
import { unknownChannel } from './unknown-channel.ts';

/** An integration that messages may be routed to. */
export interface Candidate extends IntegrationOutline {
  channel: Channel | undefined;
  missing: readonly CredentialName[];
}

export function toCandidate(outline: IntegrationOutline): Candidate {
  const channel = findChannel(outline.name);
  const missing = channel ? missingCredentials(channel, outline.supplied) : [];
  return { ...outline, channel, missing };
}

/**
 * Chooses the integration for an activity: the one with the id `generator.id`; otherwise the only enabled one
 * of the channel `generator.name`; without a name, the only enabled integration. `generator.id` may be the
 * client's own, so an unknown id is ignored; an unknown name is refused, because a typo must not send through
 * another channel. `pointer` locates the activity in the request.
 */
export function route(
  { generator }: Activity,
  integrations: readonly Candidate[],
  pointer: string,
): Candidate {
  const refuse = (code: ProblemCode, field: string, detail: string) => {
    const at = { pointer: `${pointer}/generator${field}`, detail };
    return new Problem(code, detail, { errors: [at] });
  };
  const id = parseId(generator.id);
  const named = integrations.find((integration) => integration.id === id);
  if (named) {
    if (named.state === 'enable') return named;
    throw refuse('integration_disabled', '/id', `integration ${named.id} is disabled`);
  }
  const enabled = integrations.filter(({ state }) => state === 'enable');
  const { name = '' } = generator;
  if (name.trim() !== '') {
    const channel = findChannel(name);
    if (!channel) throw unknownChannel(name, `${pointer}/generator/name`);
    const [first, ...others] = enabled.filter((one) => one.name === channel.name);
    if (first && others.length === 0) return first;
    if (first) {
      const ids = [first, ...others].map((integration) => integration.id).join(', ');
      throw refuse(
        'no_integration',
        '/name',
        `several ${channel.name} integrations are enabled; name one by its id: ${ids}`,
      );
    }
    const disabled = integrations.some((one) => one.name === channel.name);
    throw disabled
      ? refuse('integration_disabled', '/name', `the ${channel.name} integration is disabled`)
      : refuse('no_integration', '/name', `the application has no ${channel.name} integration`);
  }
  const [only, ...others] = enabled;
  if (only && others.length === 0) return only;
  throw refuse(
    'no_integration',
    '',
    only
      ? 'must name an integration id or a channel, because several integrations are enabled'
      : 'the application has no enabled integration',
  );
}

/** Longer than any channel's addresses, and short enough for an index in both databases. */
const MAX_RECIPIENT_BYTES = 1024;

/** The recipient of an activity, in the notation in which the vendor reports it. */
export function recipientOf({ channel }: Pick<Candidate, 'channel'>, { to }: Activity): string {
  const id = String(to.id);
  return channel?.recipient.normalize?.(id) ?? id;
}

/** Why the recipient is invalid for the channel, if it is. */
export function recipientFault(channel: Channel, recipient: string): string | undefined {
  return Buffer.byteLength(recipient) > MAX_RECIPIENT_BYTES
    ? `must have at most ${MAX_RECIPIENT_BYTES} bytes`
    : channel.recipient.validate(recipient);
}

/** Throws if the integration cannot send, or the recipient or content is invalid. */
export function checkDeliverable(
  candidate: Candidate,
  activity: Activity,
  recipient: string,
  pointer: string,
): void {
  const problem = whyUndeliverable(candidate, activity, recipient, pointer);
  if (problem) throw problem;
}

/** The problem of sending through the integration to this recipient, if any. */
export function whyUndeliverable(
  candidate: Candidate,
  activity: Activity,
  recipient: string,
  pointer: string,
): Problem | undefined {
  const { id, name, channel, missing } = candidate;
  if (!channel) return new Problem('unknown_channel', `the channel ${name} no longer exists`);
  if (missing.length > 0) {
    return new Problem(
      'integration_incomplete',
      `integration ${id} (${name}) lacks: ${missing.join(', ')}`,
      {
        errors: missing.map((field) => ({
          pointer: `${pointer}/generator`,
          detail: `integration ${id} lacks "${field}"`,
        })),
      },
    );
  }
  const wrong = recipientFault(channel, recipient);
  return wrong
    ? invalidFields({ pointer: `${pointer}/to/id`, detail: wrong })
    : valueProblem(activity, channel, pointer);
}
