import Type from 'typebox';

import { Problem, invalidFields } from '../../model/problem.ts';
import { ActivitySchema, EXAMPLE_ACTIVITY } from '../activity.ts';
import { aboutMessage } from '../audit.ts';
import { instructionFields } from '../instructions.ts';
import { checkMembers } from '../member-names.ts';
import { type Route, applicationRoute, noContent, notFound, pathId } from '../server/route.ts';
import type { Services } from '../services.ts';
import { ROUTING_PROBLEMS, draftOf } from './messages.ts';

const Changes = Type.Object({ message: Type.Optional(ActivitySchema), ...instructionFields });

/** Changes of messages that wait for their time. */
export function scheduledMessageRoutes(services: Services): Route[] {
  const { store, clock, outbound, audit } = services;
  return [
    applicationRoute({
      method: 'PUT',
      path: '/1/messages/:id',
      operationId: 'changeMessage',
      tag: 'Messages',
      summary: 'Change a scheduled message',
      description:
        'Changes when a scheduled message is sent (`send_at`), its content (`message`), or both. Omitted fields keep their values; the other fields are changed together with the content.',
      body: Changes,
      example: { send_at: '2026-12-01T09:00:00Z', message: EXAMPLE_ACTIVITY },
      success: { status: 204, description: 'Changed.' },
      problems: ['not_found', 'message_not_scheduled', ...ROUTING_PROBLEMS],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const { message: activity, send_at: sendAt, options, category } = call.body;
        const { template, outside_window, routes } = call.body;
        checkMembers(call.body, '');
        const hasOthers = Boolean(options ?? category ?? template ?? outside_window ?? routes);
        if (activity === undefined && (sendAt === undefined || hasOthers)) {
          const detail = 'is required, unless only send_at changes';
          throw invalidFields({ pointer: '/message', detail });
        }
        const draft = activity && draftOf({ ...call.body, message: activity }, call.text, '');
        const about = aboutMessage(id, applicationId);
        const entry = await audit.byPerson(call.caller, 'message.changed', about);
        for (;;) {
          const current = await store.messages.get(applicationId, id);
          if (!current) throw notFound('the message');
          if (current.state !== 'scheduled') throw notScheduled(current.state);
          const change = await outbound.changeOf(current, { draft, sendAt });
          // Otherwise another request was first: what this one leaves out stays as that one made it.
          if (await store.schedule.change(current, change, clock.now(), entry)) return noContent;
        }
      },
    }),
  ];
}

const notScheduled = (state: string) =>
  new Problem('message_not_scheduled', `the message is ${state}`);
