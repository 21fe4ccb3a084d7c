import Type from 'typebox';

import type { Hook } from '../../../channels/inbound.ts';
import { findChannel } from '../../../channels/index.ts';
import type { Id } from '../../../model/id.ts';
import type { Integration } from '../../../model/integration.ts';
import { Problem } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import type { HookState } from '../../../store/delivery/integrations.ts';
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
    registered: Type.Boolean({
      description: 'Whether the service registered the URL with the vendor.',
    }),
    registered_at: nullable(Timestamp),
    received_at: nullable(Timestamp),
    refused: nullable(
      Type.Object(
        { at: Timestamp, detail: Type.String() },
        { description: 'When and why a request was last refused.' },
      ),
    ),
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
  ): Promise<{ integration: Integration; hook: Hook; url: string; state: HookState }> {
    const integration = await store.integrations.get(applicationId, id);
    const state = integration && (await store.integrations.hookOf(applicationId, id));
    if (!state) throw notFound('the integration');
    const hook = findChannel(integration.name)?.hook;
    if (!hook) throw new Problem('no_hook', `${integration.name} has no webhooks`);
    const url = `${baseUrl}/1/hooks/${id}/${state.random}`;
    return { integration, hook, url, state };
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id/hook',
      operationId: 'getHook',
      tag,
      summary: 'Get the webhook URL of an integration',
      description:
        "The URL is a secret: anyone who knows it can post to it. Give it to the vendor only. `received_at` is when the vendor's last request was accepted; null if none was.",
      evenDisabled: true,
      success: { status: 200, description: 'The URL.', schema: HookSchema },
      problems: ['not_found'],
      async handle(call) {
        try {
          const { applicationId } = call.caller;
          const { hook, url, state } = await hookOf(applicationId, pathId(call), call.baseUrl());
          return ok(view(url, state, hook.setup));
        } catch (error) {
          if (error instanceof Problem && error.code === 'no_hook') {
            return ok(view(null, NO_STATE, null));
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
        "Registers the URL through the vendor's API, if it has one. The service does this automatically when an enabled integration is created or changed and the public URL of the service is set.",
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
        const { integration, hook, url, state } = await hookOf(
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
        return ok(view(url, { ...state, registeredAt: clock.now() }, hook.setup));
      },
    }),
  ];
}

type ShownState = Omit<HookState, 'random'>;

const NO_STATE: ShownState = { registeredAt: null, receivedAt: null, refused: null };

const view = (url: string | null, state: ShownState, setup: string | null) => ({
  url,
  registered: state.registeredAt !== null,
  registered_at: state.registeredAt === null ? null : timestamp(state.registeredAt),
  received_at: state.receivedAt === null ? null : timestamp(state.receivedAt),
  refused: state.refused && { at: timestamp(state.refused.at), detail: state.refused.detail },
  setup,
});
