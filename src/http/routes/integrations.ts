import { isDeepStrictEqual } from 'node:util';

import Type from 'typebox';

import type { Channel } from '../../channels/channel.ts';
import { findChannel } from '../../channels/index.ts';
import { optionFaults } from '../../channels/options.ts';
import type { ApplicationPrincipal } from '../../model/account.ts';
import { type FieldChange, hidden, visible } from '../../model/audit.ts';
import { parseId } from '../../model/id.ts';
import { CREDENTIALS, type Integration, INTEGRATION_MODES } from '../../model/integration.ts';
import { invalidFields } from '../../model/problem.ts';
import type { MessageOptions } from '../../model/sending/instructions.ts';
import { aboutIntegration } from '../audit.ts';
import { MASK, isMasked, masked } from '../auth/masking.ts';
import {
  CheckSchema,
  accountOf,
  checkAnswer,
  changedCredentials,
  knownChannel,
  missingFrom,
} from '../channel-credentials.ts';
import { MessageOptionsSchema } from '../instructions.ts';
import { MODE_PROBLEMS, modeFixed, nextAccess, sandboxCredentials } from '../integration-mode.ts';
import {
  Id as IdField,
  Int64,
  IntegrationLabel,
  StateField,
  clearable,
  credentialChanges,
  credentialFields,
  datedFields,
  listOf,
  newCredentials,
  nullable,
} from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import {
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  pathId,
} from '../server/route.ts';
import type { Services } from '../services.ts';
import {
  IntegrationHealthSchema,
  checkResult,
  findHealth,
  healthView,
} from '../views/integration-health.ts';
import { integrationView } from '../views/views.ts';

const ChannelName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A channel name, case-insensitive.',
  examples: ['telegram'],
});

const Mode = Type.Enum([...INTEGRATION_MODES], {
  description:
    '`sandbox`: a built-in simulator takes the place of the vendor; it needs no credentials, and nothing leaves the machine. `live` if not set.',
});

const DefaultOptions = Type.Unsafe<MessageOptions>({
  ...MessageOptionsSchema,
  description: "Defaults of the channel's options. A message may override each.",
});

export const IntegrationSchema = Type.Object(
  {
    ...datedFields,
    application_id: IdField,
    name: ChannelName,
    state: StateField,
    mode: Type.Optional(Mode),
    label: Type.Optional(IntegrationLabel),
    account: Type.Optional(
      Type.String({
        description:
          'The account that the last passed check found, such as a bot name, a phone number or a mailbox. Unset until a check passes, and again when the credentials change.',
        examples: ['@example_bot'],
      }),
    ),
    ...credentialFields,
    options: Type.Optional(DefaultOptions),
  },
  { title: 'Integration' },
);

const IntegrationDetailSchema = Type.Object(
  { ...IntegrationSchema.properties, health: IntegrationHealthSchema },
  { title: 'IntegrationDetail' },
);

const Creation = Type.Object(
  {
    application_id: Int64,
    name: ChannelName,
    state: StateField,
    mode: Type.Optional(nullable(Mode)),
    label: clearable(IntegrationLabel),
    ...newCredentials,
    options: Type.Optional(nullable(DefaultOptions)),
  },
  { title: 'NewIntegration' },
);

const Change = Type.Object(
  {
    name: ChannelName,
    state: Type.Optional(StateField),
    mode: Type.Optional(Mode),
    label: clearable(IntegrationLabel),
    ...credentialChanges,
    options: Type.Optional(nullable(DefaultOptions)),
  },
  { title: 'IntegrationChange' },
);

const tag = 'Integrations';
const gone = () => notFound('the integration');
const unmasked = (integration: Integration) => integration;

export function integrationRoutes(services: Services): Route[] {
  const { store, clock, outbound, delivery, channelCalls, audit } = services;

  async function ofApplication({ applicationId }: ApplicationPrincipal, id: number) {
    const integration = await store.integrations.get(applicationId, id);
    if (!integration) throw gone();
    return integration;
  }

  async function change(
    caller: ApplicationPrincipal,
    id: number,
    apply: (current: Integration) => Integration,
  ): Promise<void> {
    const { applicationId } = caller;
    const before = await ofApplication(caller, id);
    const changes = changesBetween(before, apply(before));
    const about = aboutIntegration(before);
    const entry = await audit.update(caller, 'integration.updated', about, changes);
    const applied = (current: Integration) => ({ ...apply(current), updatedAt: clock.now() });
    const isUpdated = await store.integrations.update(applicationId, id, applied, entry);
    if (!isUpdated) throw gone();
    outbound.forget(applicationId);
    delivery.changed(id);
    channelCalls.registerInBackground(applicationId, id);
  }

  async function nameAccount(integration: Integration, account: string | null): Promise<void> {
    if (account === integration.account) return;
    await store.integrations.setAccount(integration, account);
  }

  return [
    applicationRoute({
      method: 'POST',
      path: '/1/integrations',
      operationId: 'createIntegration',
      tag,
      summary: 'Create an integration',
      description:
        'Optional fields may be added later; `GET /1/channels` says which ones the channel needs to send.',
      body: Creation,
      example: { application_id: 3, name: 'telegram', state: 'enable', token: '110201543:AAH…' },
      success: {
        status: 201,
        description: 'The integration, with the optional fields that were supplied.',
        schema: IntegrationSchema,
      },
      problems: ['unknown_channel', 'sandbox_off', 'no_simulator'],
      async handle(call) {
        const { caller, body } = call;
        if (parseId(body.application_id) !== caller.applicationId) {
          throw invalidFields({
            pointer: '/application_id',
            detail: 'must be the application of the token',
          });
        }
        const channel = knownChannel(body.name);
        const { name } = channel;
        const options = body.options ?? {};
        checkDefaults(channel, options);
        const now = clock.now();
        const integration: Integration = {
          id: await store.nextId(),
          applicationId: caller.applicationId,
          name,
          state: body.state,
          mode: body.mode ?? 'live',
          label: body.label || null,
          account: null,
          credentials:
            body.mode === 'sandbox'
              ? await sandboxCredentials(services, name, body)
              : changedCredentials({}, body),
          options,
          createdAt: now,
          updatedAt: now,
        };
        const answer = created(`/1/integrations/${integration.id}`, integrationView(integration));
        const fields = changesBetween(
          { ...integration, mode: 'live', label: null, credentials: {}, options: {} },
          integration,
        );
        const about = aboutIntegration(integration);
        const entry = await audit.entry(caller, 'integration.created', about, fields);
        await store.integrations.insert(integration, call.once(answer), entry);
        outbound.forget(caller.applicationId);
        delivery.changed(integration.id);
        channelCalls.registerInBackground(caller.applicationId, integration.id);
        return answer;
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/applications/:id/integrations',
      operationId: 'listIntegrations',
      tag,
      summary: 'List the integrations of an application',
      description: 'Newest first. An unknown application, or one of another team, has none.',
      query: [...PAGING, MASK],
      evenDisabled: true,
      success: {
        status: 200,
        description: 'A page of integrations.',
        schema: listOf(IntegrationSchema),
      },
      async handle(call) {
        const { applicationId } = call.caller;
        const view = isMasked(call.query) ? masked : unmasked;
        const path = `/1/applications/${applicationId}/integrations`;
        const page =
          parseId(call.params['id']) === applicationId
            ? await store.integrations.list(applicationId, pageRequest(call.query))
            : { items: [], older: false, newer: false };
        return listAnswer(call, path, page, (item) => JSON.stringify(integrationView(view(item))));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/integrations/:id',
      operationId: 'getIntegration',
      tag,
      summary: 'Get an integration',
      query: [MASK],
      evenDisabled: true,
      description: 'With its health, from recorded attempts and checks.',
      success: { status: 200, description: 'The integration.', schema: IntegrationDetailSchema },
      problems: ['not_found'],
      async handle(call) {
        const integration = await ofApplication(call.caller, pathId(call));
        const found = await findHealth(store, integration, call.caller.state);
        const health = healthView(found, clock.now());
        const view = isMasked(call.query) ? masked(integration) : integration;
        return ok({ ...integrationView(view), health });
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/integrations/:id',
      operationId: 'updateIntegration',
      tag,
      summary: 'Update an integration',
      description:
        'Omitted fields, including `state`, keep their values; null or an empty string clears an optional field. A secret that is sent back in its masked form (`mask=true`) keeps its value.',
      body: Change,
      example: { name: 'telegram', state: 'enable', token: '110201543:AAH…' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'unknown_channel', ...MODE_PROBLEMS],
      async handle(call) {
        const { caller, body } = call;
        const channel = knownChannel(body.name);
        const { name } = channel;
        const before = await ofApplication(caller, pathId(call));
        const next = await nextAccess(services, before, channel, body);
        await change(caller, pathId(call), (current) => {
          const options = body.options === undefined ? current.options : (body.options ?? {});
          checkDefaults(channel, options);
          if (current.mode !== before.mode) throw modeFixed();
          const credentials = next?.credentials ?? changedCredentials(current.credentials, body);
          const mode = next?.mode ?? current.mode;
          const isSameAccount =
            name === current.name &&
            mode === current.mode &&
            isDeepStrictEqual(credentials, current.credentials);
          return {
            ...current,
            name,
            state: body.state ?? current.state,
            mode,
            label: body.label === undefined ? current.label : body.label || null,
            account: next?.account ?? (isSameAccount ? current.account : null),
            credentials,
            options,
          };
        });
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/integrations/:id',
      operationId: 'deleteIntegration',
      tag,
      summary: 'Delete an integration',
      description: 'Permanent. Queued messages are canceled; sent messages stay on record.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found'],
      async handle(call) {
        const { caller } = call;
        const integration = await ofApplication(caller, pathId(call));
        const { id, applicationId } = integration;
        const about = aboutIntegration(integration);
        const entry = await audit.entry(caller, 'integration.deleted', about);
        if (!(await store.integrations.delete(applicationId, id, clock.now(), entry))) throw gone();
        outbound.forget(applicationId);
        delivery.changed(id);
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/integrations/:id/disable',
      operationId: 'disableIntegration',
      tag,
      summary: 'Disable an integration',
      description:
        'New messages are refused; queued messages wait until the integration is enabled again.',
      success: { status: 204, description: 'Disabled, or already disabled.' },
      problems: ['not_found'],
      async handle(call) {
        await change(call.caller, pathId(call), (current) => ({
          ...current,
          state: 'disable',
        }));
        return noContent;
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/integrations/:id/check',
      operationId: 'checkIntegration',
      tag,
      summary: 'Check an integration',
      description:
        'Checks that the credentials are complete and asks the channel to verify them, without sending anything. A failed check marks the integration as failing; a passed one ends a failing period and a pause for refused credentials.',
      success: { status: 200, description: 'Result of the check.', schema: CheckSchema },
      problems: ['not_found'],
      async handle(call) {
        const integration = await ofApplication(call.caller, pathId(call));
        const { name, credentials } = integration;
        const missing = missingFrom(name, findChannel(name), credentials);
        if (missing) return ok(missing);
        const check = await delivery.check(integration);
        const result = checkResult(check);
        if (result !== null) {
          const failure = result === 'passed' ? undefined : result;
          const resumed = await store.health.checked(integration, failure, clock.now());
          if (resumed) delivery.changed(integration.id);
        }
        if (result === 'passed') await nameAccount(integration, accountOf(check));
        return ok(checkAnswer(check, name));
      },
    }),
  ];
}

function checkDefaults(channel: Channel, options: MessageOptions): void {
  const errors = optionFaults(channel, options, '/options');
  if (errors.length > 0) throw invalidFields(...errors);
}

/** Names of changed credentials, never their values. */
function changesBetween(before: Integration, after: Integration): FieldChange[] {
  return [
    ...visible('name', before.name, after.name),
    ...visible('state', before.state, after.state),
    ...visible('mode', before.mode, after.mode),
    ...visible('label', before.label, after.label),
    ...visible('options', JSON.stringify(before.options), JSON.stringify(after.options)),
    ...CREDENTIALS.flatMap((field) =>
      hidden(field, before.credentials[field] !== after.credentials[field]),
    ),
  ];
}
