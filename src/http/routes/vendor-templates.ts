import { findChannel } from '../../channels/index.ts';
import { Problem } from '../../model/problem.ts';
import { timestamp } from '../../model/timestamp.ts';
import { TemplateSyncSchema, VendorTemplatesSchema } from '../openapi/template-schemas.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../server/route.ts';
import type { Services } from '../services.ts';
import { vendorTemplateView } from '../views/templates.ts';

const tag = 'Templates';

/** Templates that people write, and get approved, at the vendor. */
export function vendorTemplateRoutes({ store, channelCalls }: Services): Route[] {
  async function find(applicationId: number, id: number) {
    const integration = await store.integrations.get(applicationId, id);
    if (!integration) throw notFound('the integration');
    const channel = findChannel(integration.name);
    if (!channel?.templates) {
      throw new Problem('unsupported', `${channel?.title ?? integration.name} has no templates`);
    }
    return { integration, channel };
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/templates',
      operationId: 'listVendorTemplates',
      tag,
      summary: 'List the templates of the vendor',
      description:
        'As of the last sync, with their status, category, parameters and a preview. `synced_at` is null before the first one.',
      evenDisabled: true,
      success: { status: 200, description: 'The templates.', schema: VendorTemplatesSchema },
      problems: ['not_found', 'unsupported'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { integration } = await find(applicationId, pathId(call));
        const place = { applicationId, integrationId: integration.id };
        const { syncedAt, templates } = await store.vendorTemplates.list(place);
        return ok({
          synced_at: syncedAt === null ? null : timestamp(syncedAt),
          data: templates.map(vendorTemplateView),
        });
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/integrations/:id/templates/sync',
      operationId: 'syncVendorTemplates',
      tag,
      summary: 'Sync the templates of the vendor',
      description:
        'Reads the list from the vendor. If that fails, the old list stays. From then on, the service reads it every 6 hours.',
      success: { status: 202, description: 'Synced.', schema: TemplateSyncSchema },
      problems: ['not_found', 'unsupported', 'vendor_unavailable', 'vendor_refused'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { integration, channel } = await find(applicationId, pathId(call));
        const synced = await channelCalls.syncTemplates(integration, channel);
        if ('outcome' in synced) {
          const { outcome, detail } = synced;
          if (outcome === 'permanent') throw new Problem('vendor_refused', detail);
          throw new Problem('vendor_unavailable', detail, { headers: { 'retry-after': '5' } });
        }
        const { syncedAt, count } = synced;
        return { status: 202, body: { synced_at: timestamp(syncedAt), count } };
      },
    }),
  ];
}
