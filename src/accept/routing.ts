import { missingCredentials } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import type { Activity } from '../model/activity.ts';
import { parseId } from '../model/id.ts';
import type { IntegrationOutline } from '../model/integration.ts';
import { Problem, type ProblemCode, invalidFields } from '../model/problem.ts';

/**
 * Which integration carries an activity: the one whose id `generator.id` is; else the one enabled
 * integration of the channel that `generator.name` names; else, when neither means anything, the only
 * enabled integration there is. `pointer` leads to the activity within the request.
 */
export function route(
  { generator }: Activity,
  integrations: readonly IntegrationOutline[],
  pointer: string,
): IntegrationOutline {
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
  const channel = generator.name === undefined ? undefined : findChannel(generator.name);
  if (channel) {
    const [first, ...others] = enabled.filter(({ name }) => name === channel.name);
    if (first && others.length === 0) return first;
    if (first) {
      const ids = [first, ...others].map((integration) => integration.id).join(', ');
      throw refuse(
        'no_integration',
        '/name',
        `several integrations of ${channel.name} are enabled; name one by its id in generator.id: ${ids}`,
      );
    }
    const disabled = integrations.some(({ name }) => name === channel.name);
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

/** Checks that the integration can send, and that its channel can have such a recipient. */
export function checkDeliverable(
  integration: IntegrationOutline,
  recipient: string,
  pointer: string,
): void {
  const channel = findChannel(integration.name);
  if (!channel) {
    throw new Problem('unknown_channel', `the channel ${integration.name} is not known any more`);
  }
  const missing = missingCredentials(channel, integration.supplied);
  if (missing.length > 0) {
    throw new Problem(
      'integration_incomplete',
      `the integration ${integration.id} (${channel.name}) lacks: ${missing.join(', ')}`,
      {
        errors: missing.map((name) => ({
          pointer: `${pointer}/generator`,
          detail: `the integration ${integration.id} lacks "${name}"`,
        })),
      },
    );
  }
  const wrong =
    Buffer.byteLength(recipient) > MAX_RECIPIENT_BYTES
      ? `must have at most ${MAX_RECIPIENT_BYTES} bytes`
      : channel.recipient.check(recipient);
  if (wrong) throw invalidFields({ pointer: `${pointer}/to/id`, detail: wrong });
}
