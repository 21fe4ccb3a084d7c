import type { Channel } from '../channels/channel.ts';
import type { HttpClient } from '../lib/http/client.ts';
import { FetchRefusal } from '../lib/http/fetch.ts';
import type { Id } from '../model/id.ts';
import type { IntegrationMode } from '../model/integration.ts';

/** How a channel reaches its vendor. */
export interface VendorAccess {
  network: HttpClient;
  /** The operator's override of the channel's base URL, or the simulator's URL. */
  operatorUrl: string | undefined;
}

/** An integration on whose behalf a vendor is called. */
export interface AccessingIntegration {
  id: Id;
  applicationId: Id;
  mode: IntegrationMode;
}

export interface VendorAccessOptions {
  network: HttpClient;
  /** The operator's override of a channel's base URL. */
  operatorUrl(channel: Channel): string | undefined;
  /** The simulated network of a sandbox integration; undefined if the sandbox is switched off. */
  sandboxAccess?:
    | ((integration: Omit<AccessingIntegration, 'mode'>, channel: Channel) => VendorAccess)
    | undefined;
}

/** The only place that decides which network an integration gets: a sandbox integration never gets the live one. */
export function vendorAccess(
  { network, operatorUrl, sandboxAccess }: VendorAccessOptions,
  { id, applicationId, mode }: AccessingIntegration,
  channel: Channel,
): VendorAccess {
  if (mode === 'live') return { network, operatorUrl: operatorUrl(channel) };
  if (sandboxAccess) return sandboxAccess({ id, applicationId }, channel);
  return { network: withoutHosts(network), operatorUrl: undefined };
}

function withoutHosts({ fileMemory }: HttpClient): HttpClient {
  return { fileMemory, fetch: refuse, download: refuse, dial: refuse, async close() {} };
}

const refuse = () => Promise.reject(new FetchRefusal('the sandbox is switched off'));
