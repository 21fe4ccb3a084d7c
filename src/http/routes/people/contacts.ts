import type { Id } from '../../../model/id.ts';
import { searchPrefix } from '../../../model/people/search-terms.ts';
import { ContactRefusal } from '../../../store/people/contact-refusal.ts';
import { EMPTY, type Person } from '../../../store/people/contacts.ts';
import {
  type Integrations,
  integrationsOf,
  readContact,
  readNewAddress,
  refusalProblem,
} from '../../new-contact.ts';
import {
  ContactUpdateSchema,
  ContactSchema,
  NewContactSchema,
} from '../../openapi/contact-schemas.ts';
import { listOf } from '../../openapi/schemas.ts';
import { PAGING, listAnswer, pageRequest } from '../../paging.ts';
import {
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  ok,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { contactView } from '../../views/contact.ts';

const EXAMPLE = {
  external_id: 'customer-4711',
  name: 'Ada Lovelace',
  locale: 'en-GB',
  timezone: 'Europe/London',
  fields: { plan: 'gold' },
};

const tag = 'Contacts';
const gone = () => notFound('the contact');

const write = (person: Person) => JSON.stringify(contactView(person));

const createdAnswer = (person: Person) => created(`/1/contacts/${person.id}`, contactView(person));

/** People, with their addresses on all channels. */
export function contactRoutes({ store, clock, feed }: Services): Route[] {
  async function find(applicationId: Id, id: Id): Promise<Person> {
    const person = await store.contacts.get(applicationId, id);
    if (!person) throw gone();
    return person;
  }

  return [
    applicationRoute({
      method: 'GET',
      path: '/1/contacts',
      operationId: 'listContacts',
      tag,
      summary: 'List contacts',
      description:
        'Newest first. With `search`, in alphabetical order: contacts whose name, a word in it, an address or the external id begins with the text.',
      query: [
        ...PAGING,
        {
          name: 'search',
          description: 'Beginning of a name, a word in it, an address or an external id.',
          schema: { type: 'string' },
        },
        {
          name: 'external_id',
          description: 'Only the contact with this external id.',
          schema: { type: 'string' },
        },
      ],
      evenDisabled: true,
      success: { status: 200, description: 'A page of contacts.', schema: listOf(ContactSchema) },
      async handle(call) {
        const { applicationId } = call.caller;
        const { search = '', external_id: externalId = '' } = call.query;
        const request = pageRequest(call.query);
        if (externalId !== '') {
          const person =
            externalId.length <= 255
              ? await store.contacts.byExternalId(applicationId, externalId)
              : undefined;
          const page = { items: person ? [person] : [], older: false, newer: false };
          return listAnswer(call, '/1/contacts', page, write);
        }
        const prefix = searchPrefix(search.slice(0, 1_000));
        const page =
          prefix === ''
            ? await store.contacts.list(applicationId, request)
            : await store.contacts.search(applicationId, prefix, request);
        return listAnswer(call, '/1/contacts', page, write);
      },
    }),
    applicationRoute({
      method: 'POST',
      path: '/1/contacts',
      operationId: 'createContact',
      tag,
      summary: 'Create a contact',
      description:
        'An address belongs to one contact. Phone numbers are stored in E.164 format; several channels may reach them.',
      body: NewContactSchema,
      example: { ...EXAMPLE, addresses: [{ channel: 'sms', address: '+15558675310' }] },
      success: { status: 201, description: 'Created.', schema: ContactSchema },
      problems: ['external_id_taken', 'address_taken'],
      async handle(call) {
        const { applicationId } = call.caller;
        const { addresses = [], ...fields } = call.body;
        const change = readContact(fields);
        const now = clock.now();
        const namesIntegration = addresses.some(({ integration_id: id }) => id);
        const integrations: Integrations = namesIntegration
          ? await integrationsOf(store, applicationId)
          : new Map();
        const newAddresses = addresses.map((address, i) =>
          readNewAddress(address, `/addresses/${i}`, integrations, { evidence: 'api', now }),
        );
        const contact = {
          ...EMPTY,
          ...change,
          applicationId,
          createdAt: now,
          updatedAt: now,
        };
        const result = await store.contacts.create(contact, newAddresses, (person) =>
          call.once(createdAnswer(person)),
        );
        if (result instanceof ContactRefusal) throw refusalProblem(result, '/addresses');
        feed.changed(applicationId);
        return createdAnswer(result);
      },
    }),
    applicationRoute({
      method: 'GET',
      path: '/1/contacts/:id',
      operationId: 'getContact',
      tag,
      summary: 'Get a contact',
      evenDisabled: true,
      success: { status: 200, description: 'The contact.', schema: ContactSchema },
      problems: ['not_found'],
      async handle(call) {
        return ok(contactView(await find(call.caller.applicationId, pathId(call))));
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/contacts/:id',
      operationId: 'updateContact',
      tag,
      summary: 'Update a contact',
      description:
        'Omitted fields keep their values, null clears one. `fields` replaces all your own fields.',
      body: ContactUpdateSchema,
      example: EXAMPLE,
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found', 'external_id_taken'],
      async handle(call) {
        const { applicationId } = call.caller;
        const change = readContact(call.body);
        const key = { applicationId, id: pathId(call) };
        const updated = await store.contacts.update(key, change, clock.now());
        if (updated instanceof ContactRefusal) throw refusalProblem(updated);
        if (!updated) throw gone();
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/contacts/:id',
      operationId: 'deleteContact',
      tag,
      summary: 'Delete a contact',
      description: 'With its addresses. Messages, events and consents stay.',
      success: { status: 204, description: 'Deleted.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        if (!(await store.contacts.delete({ applicationId, id: pathId(call) }))) throw gone();
        return noContent;
      },
    }),
  ];
}
