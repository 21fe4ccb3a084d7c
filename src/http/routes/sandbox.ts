import { Readable } from 'node:stream';

import type { Static, TSchema } from 'typebox';

import { findChannel } from '../../channels/index.ts';
import { storable } from '../../lib/text/storable.ts';
import type { ApplicationPrincipal } from '../../model/account.ts';
import { NO_ID, parseId } from '../../model/id.ts';
import type { Integration } from '../../model/integration.ts';
import { Problem, invalidFields } from '../../model/problem.ts';
import type { SandboxPeople, ActorRequest } from '../../sandbox/sandbox-people.ts';
import { entryOf } from '../../sandbox/stored-phone.ts';
import {
  BehaviourBody,
  BlockBody,
  MAX_DATA_LENGTH,
  MoveBody,
  PressBody,
  ReactionBody,
  ReceiptBody,
  ReplyBody,
} from '../openapi/sandbox-bodies.ts';
import { listOf } from '../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../paging.ts';
import { fileAnswer } from '../server/file-response.ts';
import {
  type Answer,
  type Call,
  type Route,
  applicationRoute,
  noContent,
  notFound,
  ok,
  pathId,
} from '../server/route.ts';
import type { Services } from '../services.ts';
import {
  SandboxMessageSchema,
  SandboxSchema,
  sandboxMessageView,
  sandboxView,
} from '../views/sandbox.ts';

const tag = 'Sandbox';
const PROBLEMS = ['not_found', 'not_sandbox', 'sandbox_off', 'no_simulator'] as const;

export function sandboxRoutes({ store, clock, sandbox }: Services): Route[] {
  async function open(
    { applicationId }: ApplicationPrincipal,
    id: number,
  ): Promise<{ integration: Integration; people: SandboxPeople }> {
    const integration = await store.integrations.get(applicationId, id);
    if (!integration) throw notFound('the integration');
    if (integration.mode !== 'sandbox') {
      throw new Problem('not_sandbox', `integration ${id} is live`);
    }
    if (!sandbox) throw new Problem('sandbox_off', 'this service has no sandbox');
    return { integration, people: sandbox.people };
  }

  /** A route by which a person does something. */
  function action<Body extends TSchema>(definition: {
    name: string;
    operationId: string;
    summary: string;
    description?: string;
    body: Body;
    example: unknown;
    act(
      people: SandboxPeople,
      integration: Integration,
      body: Static<Body>,
    ): Promise<Parameters<typeof sandboxMessageView>[0]>;
  }): Route {
    const { name, act, ...details } = definition;
    return applicationRoute<Body>({
      method: 'POST',
      path: `/1/sandbox/:id/${name}`,
      tag,
      ...details,
      ...(name === 'reply' && { bodyLimit: 2 * MAX_DATA_LENGTH }),
      success: {
        status: 200,
        description: 'The entry on the phone.',
        schema: SandboxMessageSchema,
      },
      problems: [...PROBLEMS, 'unsupported', 'integration_disabled'],
      async handle(call: Call<ApplicationPrincipal, Static<Body>>): Promise<Answer> {
        const { integration, people } = await open(call.caller, pathId(call));
        await checkAddresses(integration, call.body, people);
        return ok(sandboxMessageView(await act(people, integration, call.body)));
      },
    });
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/sandbox/:id',
      operationId: 'getSandbox',
      tag,
      summary: 'Get the sandbox of an integration',
      description: 'The simulated people, what they can do, and the faults that can be triggered.',
      evenDisabled: true,
      success: { status: 200, description: 'The sandbox.', schema: SandboxSchema },
      problems: [...PROBLEMS],
      async handle(call) {
        const { integration, people } = await open(call.caller, pathId(call));
        return ok(sandboxView(await people.describe(integration)));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/sandbox/:id/messages',
      operationId: 'listSandboxMessages',
      tag,
      summary: 'List the entries on the phones',
      description:
        'Newest first, as the simulated vendor received them. The sandbox keeps 1,000 entries (20 MB) and 20 MB of files per integration, for 7 days. A page of large entries has fewer than its limit.',
      query: [
        ...PAGING,
        {
          name: 'with',
          description: 'Only the conversation with this person or room.',
          schema: { type: 'string' },
        },
      ],
      evenDisabled: true,
      success: {
        status: 200,
        description: 'A page of entries.',
        schema: listOf(SandboxMessageSchema),
      },
      problems: [...PROBLEMS],
      async handle(call) {
        const { integration } = await open(call.caller, pathId(call));
        const { id: integrationId, applicationId } = integration;
        const page = await store.sandboxMessages.list(
          { applicationId, integrationId },
          pageRequest(call.query),
          call.query['with'] || undefined,
        );
        const path = `/1/sandbox/${integrationId}/messages`;
        return listAnswer(call, path, page, (row) =>
          JSON.stringify(sandboxMessageView(entryOf(row))),
        );
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/sandbox/:id/files/:file',
      operationId: 'getSandboxFile',
      tag,
      summary: 'Download a file from a phone',
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: '*/*' },
      problems: [...PROBLEMS],
      async handle(call) {
        const { integration } = await open(call.caller, pathId(call));
        const { id: integrationId, applicationId } = integration;
        const id = storable(call.params['file'] ?? '');
        const file = await store.sandboxFiles.get({ applicationId, integrationId }, id);
        if (!file) throw notFound('the file');
        const { name, mediaType, size, bytes } = file;
        return fileAnswer({ body: Readable.from([Buffer.from(bytes)]), name, mediaType, size });
      },
    }),
    action({
      name: 'reply',
      operationId: 'replyInSandbox',
      summary: 'Answer as a simulated person',
      description:
        'Sends a text, a file or a place. The event arrives as from the real vendor. A place with a text or a file is a second message; where the vendor has no places, it is a link to a map.',
      body: ReplyBody,
      example: { from: '123456789', text: 'Yes, please' },
      act: (people, integration, { media, reply_to: replyTo, ...rest }) =>
        people.reply(integration, {
          ...rest,
          ...(replyTo !== undefined && { replyTo: parseId(replyTo) ?? NO_ID }),
          ...(media && {
            media: {
              type: media.type,
              ...(media.data !== undefined && { data: bytesOf(media.data) }),
              ...(media.media_type !== undefined && { mediaType: media.media_type }),
              ...(media.name !== undefined && { name: media.name }),
            },
          }),
        }),
    }),
    action({
      name: 'press',
      operationId: 'pressInSandbox',
      summary: 'Press a button as a simulated person',
      body: PressBody,
      example: { message: 71, button: 'Yes' },
      act: (people, integration, { message, ...rest }) =>
        people.press(integration, { ...rest, message: parseId(message) ?? NO_ID }),
    }),
    action({
      name: 'react',
      operationId: 'reactInSandbox',
      summary: 'React to a message as a simulated person',
      body: ReactionBody,
      example: { message: 71, emoji: '👍' },
      act: (people, integration, { message, ...rest }) =>
        people.react(integration, { ...rest, message: parseId(message) ?? NO_ID }),
    }),
    action({
      name: 'join',
      operationId: 'joinInSandbox',
      summary: 'Join a room or start a conversation as a simulated person',
      body: MoveBody,
      example: { from: '123456789', room: '-1001234567890' },
      act: (people, integration, body) => people.move(integration, 'join', body),
    }),
    action({
      name: 'leave',
      operationId: 'leaveInSandbox',
      summary: 'Leave a room or end a conversation as a simulated person',
      body: MoveBody,
      example: { from: '123456789', room: '-1001234567890' },
      act: (people, integration, body) => people.move(integration, 'leave', body),
    }),
    action({
      name: 'block',
      operationId: 'blockInSandbox',
      summary: 'Block the sender as a simulated person',
      description: 'Messages to the person then fail as at the vendor.',
      body: BlockBody,
      example: { from: '123456789', blocked: true },
      act: (people, integration, { blocked = true, ...rest }) =>
        people.move(integration, blocked ? 'block' : 'unblock', rest),
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/sandbox/:id/receipts',
      operationId: 'reportInSandbox',
      tag,
      summary: 'Report a message as delivered, read or failed',
      body: ReceiptBody,
      example: { message: 71, state: 'read' },
      success: { status: 204, description: 'Reported.' },
      problems: [...PROBLEMS, 'unsupported', 'integration_disabled'],
      async handle(call) {
        const { integration, people } = await open(call.caller, pathId(call));
        const { message, state } = call.body;
        await people.receipt(integration, { message: parseId(message) ?? NO_ID, state });
        return noContent;
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/sandbox/:id/reset',
      operationId: 'resetSandbox',
      tag,
      summary: 'Empty the phones and remove all faults',
      success: { status: 204, description: 'Reset.' },
      problems: [...PROBLEMS],
      async handle(call) {
        const { integration, people } = await open(call.caller, pathId(call));
        await people.reset(integration);
        return noContent;
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/sandbox/:id/behaviour',
      operationId: 'setSandboxBehaviour',
      tag,
      summary: 'Set the standing faults',
      description:
        'Replaces all standing faults. They apply to every message, or to those to one address.',
      body: BehaviourBody,
      example: { behaviours: [{ fault: 'limited', seconds: 60 }] },
      success: { status: 204, description: 'Set.' },
      problems: [...PROBLEMS],
      async handle(call) {
        const { integration, people } = await open(call.caller, pathId(call));
        const now = clock.now();
        const behaviours = call.body.behaviours.map(({ fault, to, seconds, times }) => ({
          fault,
          ...(to !== undefined && { to }),
          ...(seconds !== undefined && { until: now + seconds * 1000 }),
          ...(times !== undefined && { times }),
        }));
        await people.setBehaviours(integration, behaviours);
        return noContent;
      },
    }),
  ];
}

/** Throws if an address is neither that of a simulated person nor a valid recipient. */
async function checkAddresses(
  integration: Integration,
  { from, room }: ActorRequest,
  people: SandboxPeople,
): Promise<void> {
  const channel = findChannel(integration.name);
  const errors = [];
  for (const [field, address] of Object.entries({ from, room })) {
    const detail = address === undefined ? undefined : channel?.recipient.validate(address);
    if (address === undefined || detail === undefined) continue;
    if (!(await people.knows(integration, address))) errors.push({ pointer: `/${field}`, detail });
  }
  if (errors.length > 0) throw invalidFields(...errors);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function bytesOf(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64');
  if (BASE64.test(data) && bytes.length > 0) return bytes;
  throw invalidFields({ pointer: '/media/data', detail: 'must be base64, and not empty' });
}
