import Type from 'typebox';

import { parseId } from '../../../model/id.ts';
import { Problem, invalidFields } from '../../../model/problem.ts';
import { timestamp } from '../../../model/timestamp.ts';
import { ContactRefusal } from '../../../store/people/contact-refusal.ts';
import type { MergeFault } from '../../../store/people/merges.ts';
import { refusalProblem } from '../../new-contact.ts';
import { MergeEvidence } from '../../openapi/contact-event-schemas.ts';
import { ContactSchema } from '../../openapi/contact-schemas.ts';
import { Id, Int64, Timestamp, listOf, nullable } from '../../openapi/schemas.ts';
import { type Route, applicationRoute, notFound, ok, pathId } from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { contactView } from '../../views/contact.ts';

const MergeBody = Type.Object({ contact_id: Int64 }, { title: 'ContactMergeRequest' });

export const ContactMergeSchema = Type.Object(
  {
    contact_id: Id,
    external_id: nullable(Type.String()),
    name: nullable(Type.String()),
    evidence: MergeEvidence,
    merged_at: Timestamp,
  },
  { title: 'ContactMerge' },
);

const MAX_LISTED = 100;

const tag = 'Contacts';
const gone = () => notFound('the contact');

/** Contacts that are one person. */
export function mergeRoutes({ store, clock, feed, audit }: Services): Route[] {
  const entryOf = (
    caller: Parameters<typeof audit.entry>[0],
    action: 'contact.merged' | 'contact.unmerged',
    { applicationId, id, otherId }: { applicationId: number; id: number; otherId: number },
  ) => {
    const change = { field: 'contact_id', to: String(otherId) };
    return audit.entry(caller, action, { type: 'contact', id, applicationId }, [change]);
  };

  return [
    applicationRoute({
      method: 'POST',
      path: '/1/contacts/:id/merge',
      operationId: 'mergeContacts',
      tag,
      summary: 'Merge a contact into another',
      description:
        'The contact gets the addresses of the other one (`contact_id`), and the fields that it lacks. The other one no longer exists, but messages to it reach this contact. `POST /1/contacts/{id}/unmerge` undoes it.',
      body: MergeBody,
      example: { contact_id: 43 },
      success: { status: 200, description: 'The contact.', schema: ContactSchema },
      problems: ['not_found', 'unknown_contact', 'merge_conflict'],
      async handle(call) {
        const { caller } = call;
        const { applicationId } = caller;
        const pair = { applicationId, id: pathId(call), otherId: otherIn(call.body) };
        if (pair.id === pair.otherId) {
          throw invalidFields({ pointer: '/contact_id', detail: 'must be another contact' });
        }
        if (!(await store.contacts.get(applicationId, pair.id))) throw gone();
        const entry = await entryOf(caller, 'contact.merged', pair);
        const merged = await store.merges.merge(pair, clock.now(), {
          audit: entry,
          record: (person) => call.once(ok(contactView(person))),
        });
        if (typeof merged === 'string') throw faultProblem(merged);
        feed.changed(applicationId);
        return ok(contactView(merged));
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/contacts/:id/unmerge',
      operationId: 'unmergeContacts',
      tag,
      summary: 'Unmerge a contact',
      description:
        'The merged contact (`contact_id`) exists again under its id, with the addresses and fields that it brought; fields that were changed since stay. A vendor cannot merge the two again.',
      body: MergeBody,
      example: { contact_id: 43 },
      success: {
        status: 200,
        description: 'The contact that exists again.',
        schema: ContactSchema,
      },
      problems: ['not_found', 'external_id_taken'],
      async handle(call) {
        const { caller } = call;
        const { applicationId } = caller;
        const pair = { applicationId, id: pathId(call), otherId: otherIn(call.body) };
        if (!(await store.contacts.get(applicationId, pair.id))) throw gone();
        const entry = await entryOf(caller, 'contact.unmerged', pair);
        const unmerged = await store.merges.unmerge(pair, clock.now(), {
          audit: entry,
          record: (person) => call.once(ok(contactView(person))),
        });
        if (unmerged instanceof ContactRefusal) throw refusalProblem(unmerged);
        if (!unmerged) throw notFound('the merged contact');
        feed.changed(applicationId);
        return ok(contactView(unmerged));
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/contacts/:id/merges',
      operationId: 'listContactMerges',
      tag,
      summary: 'List the contacts that were merged into a contact',
      description: `The newest merge first; at most ${MAX_LISTED}.`,
      evenDisabled: true,
      success: {
        status: 200,
        description: 'The merged contacts.',
        schema: listOf(ContactMergeSchema),
      },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        if (!(await store.contacts.get(applicationId, id))) throw gone();
        const merges = await store.merges.list(applicationId, id, MAX_LISTED);
        const data = merges.map(({ mergedId, contact, evidence, createdAt }) => ({
          contact_id: mergedId,
          external_id: contact.externalId,
          name: contact.name,
          evidence,
          merged_at: timestamp(createdAt),
        }));
        return ok({ data });
      },
    }),
  ];
}

const otherIn = ({ contact_id: given }: { contact_id: unknown }) => parseId(given) ?? 0;

const FAULTS: Readonly<Record<Exclude<MergeFault, 'missing'>, string>> = {
  both_named: 'both contacts have an external id',
  too_many_addresses: 'together they have too many addresses',
  too_many_fields: 'together they have too many own fields',
};

function faultProblem(fault: MergeFault): Problem {
  if (fault !== 'missing') return new Problem('merge_conflict', FAULTS[fault]);
  return new Problem('unknown_contact', 'contact_id names no contact of the application', {
    errors: [{ pointer: '/contact_id', detail: 'names no contact of the application' }],
  });
}
