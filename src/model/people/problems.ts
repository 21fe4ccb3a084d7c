/** The errors of contacts and conversations; part of the catalog in model/problem.ts. */
export const PEOPLE_PROBLEMS = {
  unknown_contact: {
    status: 422,
    title: 'Unknown contact',
    help: '`GET /1/contacts` lists the contacts of the application. Name one by its id, `contact:42`, or its external id, `contact:external:ID`.',
  },
  no_address: {
    status: 422,
    title: 'Contact without a usable address',
    help: 'Add an address that an enabled integration reaches. An address may be disabled, stopped by the person, or outside the message window.',
  },
  external_id_taken: {
    status: 409,
    title: 'External id already in use',
    help: 'Each contact has its own. `GET /1/contacts?external_id=ID` finds the one that has it.',
  },
  address_taken: {
    status: 409,
    title: 'Address already in use',
    help: 'An address belongs to one contact. `GET /1/contacts?search=ADDRESS` finds the one that has it.',
  },
  merge_conflict: {
    status: 409,
    title: 'Contacts cannot be merged',
    help: 'Both have an external id, so they are two people. Clear one of the external ids first. A merged contact can have at most 50 addresses and 50 of your own fields.',
  },
  too_many_addresses: {
    status: 409,
    title: 'Too many addresses',
    help: 'A contact has at most 50 addresses. Remove one first.',
  },
  too_many_imports: {
    status: 409,
    title: 'Too many imports',
    help: 'Wait until one has finished, or cancel one with `DELETE /1/contact-imports/{id}`; `GET /1/contact-imports` lists them.',
  },
  consent_erased: {
    status: 409,
    title: 'Revoked before erasure',
    help: 'The person revoked the consent and was erased. If they want messages again, record the consent with its proof (`evidence`).',
  },
  conversations_building: {
    status: 503,
    title: 'Conversations being built',
    help: 'The first request of an application builds its conversations. Retry after `Retry-After`.',
  },
} as const;
