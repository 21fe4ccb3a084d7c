import { type Channel, missingCredentials } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import type { Activity } from '../model/activity.ts';
import { parseId } from '../model/id.ts';
import type { CredentialName, IntegrationOutline } from '../model/integration.ts';
import { Problem, type ProblemCode, invalidFields } from '../model/problem.ts';
import { valueProblem } from './button-values.ts';
import { unknownChannel } from './unknown-channel.ts';

/** An integration that messages may be routed to, with what is to be known of it for that. */
export interface Candidate extends IntegrationOutline {
  channel: Channel | undefined;
  /** The credentials that it lacks to send. */
  missing: readonly CredentialName[];
}

export function toCandidate(outline: IntegrationOutline): Candidate {
  const channel = findChannel(outline.name);
  const missing = channel ? missingCredentials(channel, outline.supplied) : [];
  return { ...outline, channel, missing };
}

/**
 * Which integration carries an activity: the one whose id `generator.id` is; else the one enabled
 * integration of the channel that `generator.name` names; else, when the name is absent or empty, the
 * only enabled integration. `generator.id` may be the client's own, so one that is no integration is
 * ignored; a name that is no channel is refused, or a typing error would send through another channel.
 * `pointer` leads to the activity within the request.
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
    throw refuse('integration_disabled', '/id', `the integration ${named.id} is disabled`);
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
        `several integrations of ${channel.name} are enabled; name one by its id in generator.id: ${ids}`,
      );
    }
    const disabled = integrations.some((one) => one.name === channel.name);
    throw disabled
      ? refuse('integration_disabled', '/name', `the integration of ${channel.name} is disabled`)
      : refuse('no_integration', '/name', `the application has no integration of ${channel.name}`);
  }
  const [only, ...others] = enabled;
  if (only && others.length === 0) return only;
  throw refuse(
    'no_integration',
    '',
    only
      ? 'must name an integration by its id, or a channel by its name, since several integrations are enabled'
      : 'the application has no enabled integration',
  );
}

/** Longer than any channel's addresses, and short enough for an index of either database. */
const MAX_RECIPIENT_BYTES = 1024;

/** What is wrong with a recipient of that channel; undefined when nothing is. */
export function recipientFault(channel: Channel, recipient: string): string | undefined {
  return Buffer.byteLength(recipient) > MAX_RECIPIENT_BYTES
    ? `must have at most ${MAX_RECIPIENT_BYTES} bytes`
    : channel.recipient.check(recipient);
}

/** Checks that the integration can send, and that its channel can have such a recipient. */
export function checkDeliverable(
  candidate: Candidate,
  activity: Activity,
  recipient: string,
  pointer: string,
): void {
  const problem = whyUndeliverable(candidate, activity, recipient, pointer);
  if (problem) throw problem;
}

/** The problem that sending through the integration to that recipient would answer, if any. */
export function whyUndeliverable(
  candidate: Candidate,
  activity: Activity,
  recipient: string,
  pointer: string,
): Problem | undefined {
  const { id, name, channel, missing } = candidate;
  if (!channel) return new Problem('unknown_channel', `the channel ${name} is not known any more`);
  if (missing.length > 0) {
    return new Problem(
      'integration_incomplete',
      `the integration ${id} (${name}) lacks: ${missing.join(', ')}`,
      {
        errors: missing.map((field) => ({
          pointer: `${pointer}/generator`,
          detail: `the integration ${id} lacks "${field}"`,
        })),
      },
    );
  }
  const wrong = recipientFault(channel, recipient);
  return wrong
    ? invalidFields({ pointer: `${pointer}/to/id`, detail: wrong })
    : valueProblem(activity, channel, pointer);
}
