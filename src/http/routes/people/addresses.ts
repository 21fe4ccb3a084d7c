import { omitUndefined } from '../../../lib/json/omit-undefined.ts';
import type { Address } from '../../../model/people/contact.ts';
import { ContactRefusal } from '../../../store/people/contact-refusal.ts';
import { integrationsOf, readNewAddress, refusalProblem } from '../../new-contact.ts';
import {
  AddressUpdateSchema,
  AddressSchema,
  NewAddressSchema,
} from '../../openapi/contact-schemas.ts';
import {
  type Route,
  applicationRoute,
  created,
  noContent,
  notFound,
  pathId,
} from '../../server/route.ts';
import type { Services } from '../../services.ts';
import { addressView } from '../../views/contact.ts';

const tag = 'Contacts';
const noContact = () => notFound('the contact');
const noAddress = () => notFound('the address');

/** The addresses of a person. */
export function addressRoutes({ store, clock }: Services): Route[] {
  return [
    applicationRoute({
      method: 'POST',
      path: '/1/contacts/:id/addresses',
      operationId: 'addAddress',
      tag,
      summary: 'Add an address to a contact',
      body: NewAddressSchema,
      example: { channel: 'whatsapp', address: '15558675310', label: 'Work', preference: 10 },
      success: { status: 201, description: 'Added.', schema: AddressSchema },
      problems: ['not_found', 'address_taken', 'too_many_addresses'],
      async handle(call) {
        const { applicationId } = call.caller;
        const id = pathId(call);
        const integrations = await integrationsOf(store, applicationId);
        const origin = { evidence: 'api', now: clock.now() } as const;
        const address = readNewAddress(call.body, '', integrations, origin);
        const answerOf = (one: Address) =>
          created(`/1/contacts/${id}/addresses/${one.id}`, addressView(one));
        const added = await store.contacts.addAddress({ applicationId, id }, address, {
          record: (one) => call.once(answerOf(one)),
        });
        if (added instanceof ContactRefusal) throw refusalProblem(added);
        if (!added) throw noContact();
        return answerOf(added);
      },
    }),
    applicationRoute({
      method: 'PUT',
      path: '/1/contacts/:id/addresses/:address_id',
      operationId: 'updateAddress',
      tag,
      summary: 'Update an address of a contact',
      description: 'Omitted fields keep their values. To change the address itself, add another.',
      body: AddressUpdateSchema,
      example: { preference: 10, state: 'active' },
      success: { status: 204, description: 'Updated.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const key = { applicationId, id: pathId(call) };
        const { label, preference, state } = call.body;
        const change = omitUndefined({ label, preference, state });
        const addressId = pathId(call, 'address_id');
        if (!(await store.contacts.updateAddress(key, addressId, change))) throw noAddress();
        return noContent;
      },
    }),
    applicationRoute({
      method: 'DELETE',
      path: '/1/contacts/:id/addresses/:address_id',
      operationId: 'removeAddress',
      tag,
      summary: 'Remove an address from a contact',
      description: 'Its consents stay.',
      success: { status: 204, description: 'Removed.' },
      problems: ['not_found'],
      async handle(call) {
        const { applicationId } = call.caller;
        const key = { applicationId, id: pathId(call) };
        const addressId = pathId(call, 'address_id');
        if (!(await store.contacts.removeAddress(key, addressId, clock.now()))) throw noAddress();
        return noContent;
      },
    }),
  ];
}
