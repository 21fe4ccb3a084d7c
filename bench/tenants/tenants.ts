import type { Running } from '../harness/processes.ts';
import { activityThrough, startBenchService } from '../harness/service.ts';

/** Applications created in parallel. */
const CONCURRENCY = 16;

/** The request that sends a message for one application with one integration. */
export interface Tenant {
  headers: Record<string, string>;
  body: string;
}

export interface Created {
  tenants: Tenant[];
  /** Applications created per second, each with a token and an integration. */
  perSecond: number;
}

/** Creates the tenants through the API, as users do. */
export async function createTenants(
  environment: Record<string, string>,
  sink: Running,
  count: number,
): Promise<Created> {
  const service = await startBenchService(environment);
  const me = await service.call('/1/users/me');
  const owner = { team_id: me.team_id, owner_id: me.id, state: 'enable' };
  const tenants: Tenant[] = [];
  const create = async (): Promise<void> => {
    const { id } = await service.call('/1/applications', owner);
    const { token } = await service.call(`/1/applications/${id}/tokens`, {});
    const integration = await service.call(
      '/1/integrations',
      { application_id: id, state: 'enable', name: 'webhook', address: sink.url },
      token,
    );
    tenants.push({
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ message: activityThrough(integration.id, 'recipient') }),
    });
  };
  const began = performance.now();
  let left = count;
  const work = async () => {
    while (left-- > 0) await create();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  const perSecond = count / ((performance.now() - began) / 1000);
  await service.running.stop();
  return { tenants, perSecond };
}
