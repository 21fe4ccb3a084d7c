import { Readable } from 'node:stream';

import Type from 'typebox';

import { beginErasure } from '../../../accept/contacts/erase.ts';
import { timestamp } from '../../../model/timestamp.ts';
import type { ErasureRow } from '../../../store/people/rows.ts';
import { Id, Timestamp, nullable } from '../../openapi/schemas.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { exportOf } from '../../views/contact-export.ts';

export const ErasureSchema = Type.Object(
  {
    contact_id: Id,
    state: Type.Enum(['running', 'done']),
    created_at: Timestamp,
    finished_at: nullable(Timestamp),
    messages: Type.Integer({ description: 'Erased messages to the person.' }),
    events: Type.Integer({ description: 'Erased events: received messages and delivery reports.' }),
  },
  { title: 'Erasure' },
);

const erasureView = ({
  id,
  createdAt,
  finishedAt,
  messages,
  events,
}: Omit<ErasureRow, 'subject'>) => ({
  contact_id: id,
  state: finishedAt === null ? 'running' : 'done',
  created_at: timestamp(createdAt),
  finished_at: finishedAt === null ? null : timestamp(finishedAt),
  messages,
  events,
});

const tag = 'Contacts';
const gone = () => notFound('the contact');

/** Requests to which people are entitled by law in many countries: a copy of their data, and its erasure. */
export function privacyRoutes({ store, clock, audit, files }: Services): Route[] {
  return [
    applicationRoute({
      method: 'GET',
      path: '/1/contacts/:id/export',
      operationId: 'exportContact',
      tag,
      summary: 'Export everything about a contact',
      description:
        'One JSON object per line, with `kind` and `data`: the contact, contacts that were merged into it, its consents, messages in both directions with attempts and delivery reports, events, and files in Base64. The last line has the kind `end`; without it, the file is incomplete.',
      evenDisabled: true,
      success: { status: 200, description: 'The file.', type: 'application/x-ndjson' },
      problems: ['not_found'],
      async handle(call) {
        const person = await store.contacts.get(call.caller.applicationId, pathId(call));
        if (!person) throw gone();
        const { signal } = call;
        const lines = exportOf(person, { store, files, baseUrl: call.baseUrl(), signal });
        const headers = {
          'content-type': 'application/x-ndjson',
          'content-disposition': `attachment; filename="contact-${person.id}.ndjson"`,
          'cache-control': 'no-store',
        };
        return { status: 200, stream: Readable.from(lines), headers };
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/contacts/:id/erase',
      operationId: 'eraseContact',
      tag,
      summary: 'Erase everything about a contact',
      description:
        'The contact is gone at once; its messages, events, attempts and files are removed in the background. Queued and scheduled messages are not sent. Revoked consents stay in force, stored as keyed digests of the address. Ends with the event `contact.erased`. It cannot be undone.',
      success: { status: 202, description: 'The erasure has begun.', schema: ErasureSchema },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const about = { type: 'contact', id, applicationId } as const;
        const entry = await audit.entry(call.caller, 'contact.erased', about);
        const erasure = await beginErasure(store, { applicationId, id }, clock.now(), entry);
        if (!erasure) throw gone();
        return { status: 202, body: erasureView(erasure) };
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/contacts/:id/erasure',
      operationId: 'getErasure',
      tag,
      summary: 'Get the progress of an erasure',
      description: 'Kept as long as messages. It contains no personal data.',
      evenDisabled: true,
      success: { status: 200, description: 'The erasure.', schema: ErasureSchema },
      problems: ['not_found'],
      async handle(call) {
        const erasure = await store.erasures.get(call.caller.applicationId, pathId(call));
        if (!erasure) throw notFound('the erasure');
        return ok(erasureView(erasure));
      },
    }),
  ];
}
