import type { Log } from '../lib/telemetry/log.ts';
import type { Credentials } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import { redactor } from './attempt/redaction.ts';
import type { ChannelResource } from './channel-resource.ts';
import type { Runner } from './runner.ts';

/**
 * Stores credentials that the channel renewed, because the old ones are no longer valid; unless a user has changed
 * them since.
 */
export async function storeCredentials(
  { store, log }: { store: Store; log: Log },
  runner: Runner,
  resource: ChannelResource,
  changed: Credentials,
): Promise<void> {
  const { integrationId, applicationId } = runner;
  const integration = { applicationId, id: integrationId };
  const stored = await store.integrations.renew(integration, resource.credentials, changed);
  log.info(
    { integration_id: integrationId },
    stored ? 'credentials renewed' : 'renewed credentials dropped, a user changed them',
  );
  if (!stored) return;
  const { credentials, sealed } = stored;
  resource.credentials = credentials;
  const { config } = runner;
  if (!config || runner.resource !== resource) return;
  const redact = redactor(config.channel, credentials);
  runner.renew({ ...config, credentials, sealed, redact });
}
