/** The errors of contacts and conversations; part of the catalogue in model/problem.ts. */
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
  too_many_addresses: {
    status: 409,
    title: 'Too many addresses',
    help: 'A contact has at most 50 addresses. Remove one first.',
  },
  conversations_building: {
    status: 503,
    title: 'Conversations being built',
    help: 'An application that asks for its conversations for the first time may have many. Retry after `Retry-After`.',
  },
} as const;
