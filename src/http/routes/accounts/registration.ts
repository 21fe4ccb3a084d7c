import Type from 'typebox';

import type { Hook } from '../../../channels/inbound.ts';
import { findChannel } from '../../../channels/index.ts';
import type { Id } from '../../../model/id.ts';
import type { Integration } from '../../../model/integration.ts';
import { Problem } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import { Timestamp, nullable } from '../../openapi/schemas.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../../server/route.ts';
import type { Services } from '../../services.ts';

export const HookSchema = Type.Object(
  {
    url: nullable(
      Type.String({
        description: "URL for the vendor's webhooks; null if the channel has none.",
      }),
    ),
    registered: Type.Boolean({ description: 'Whether the service registered it with the vendor.' }),
    registered_at: nullable(Timestamp),
    setup: nullable(
      Type.String({
        description:
          'Where to enter the URL at the vendor, if it cannot be registered automatically.',
      }),
    ),
  },
  { title: 'Hook' },
);

const tag = 'Integrations';

/** Webhook URLs of integrations. */
export function registrationRoutes({ store, clock, channelCalls }: Services): Route[] {
  async function hookOf(
    applicationId: Id,
    id: Id,
    baseUrl: string,
  ): Promise<{ integration: Integration; hook: Hook; url: string; registeredAt: number | null }> {
    const integration = await store.integrations.get(applicationId, id);
    const found = integration && (await store.integrations.hookOf(applicationId, id));
    if (!found) throw notFound('the integration');
    const hook = findChannel(integration.name)?.hook;
    if (!hook) throw new Problem('no_hook', `${integration.name} has no webhooks`);
    const url = `${baseUrl}/1/hooks/${id}/${found.random}`;
    return { integration, hook, url, registeredAt: found.registeredAt };
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/hook',
      operationId: 'getHook',
      tag,
      summary: 'Get the webhook URL of an integration',
      description: 'Secret: anyone who knows it can write to it. Give it to the vendor only.',
      evenDisabled: true,
      success: { status: 200, description: 'The URL.', schema: HookSchema },
      problems: ['not_found'],
      async handle(call) {
        try {
          const { applicationId } = call.caller;
          const { hook, url, registeredAt } = await hookOf(
            applicationId,
            pathId(call),
            call.baseUrl(),
          );
          return ok(view(url, registeredAt, hook.setup));
        } catch (error) {
          if (error instanceof Problem && error.code === 'no_hook') {
            return ok(view(null, null, null));
          }
          throw error;
        }
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/integrations/:id/register',
      operationId: 'registerHook',
      tag,
      summary: 'Register the webhook with the vendor',
      description:
        "Registers the URL through the vendor's API, if it has one. The service does this itself when an integration is created or enabled and its public URL is set.",
      success: { status: 200, description: 'Registered.', schema: HookSchema },
      problems: [
        'not_found',
        'no_hook',
        'unsupported',
        'registration_failed',
        'integration_disabled',
      ],
      async handle(call) {
        const { applicationId } = call.caller;
        const { integration, hook, url } = await hookOf(
          applicationId,
          pathId(call),
          call.baseUrl(),
        );
        if (integration.state !== 'enable') {
          throw new Problem('integration_disabled', 'enable the integration first');
        }
        const check = await channelCalls.register(applicationId, integration.id, call.baseUrl());
        if (!check) {
          throw new Problem(
            'unsupported',
            `${integration.name} has no API for registering webhooks: ${hook.setup}`,
          );
        }
        if (check.outcome !== 'known') throw new Problem('registration_failed', check.detail);
        return ok(view(url, clock.now(), hook.setup));
      },
    }),
  ];
}

const view = (url: string | null, registeredAt: number | null, setup: string | null) => ({
  url,
  registered: registeredAt !== null,
  registered_at: registeredAt === null ? null : timestamp(registeredAt),
  setup,
});
