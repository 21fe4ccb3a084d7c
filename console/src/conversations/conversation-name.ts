import type { Conversation } from '../api/types.ts';

/** The contact's name, the name that the vendor reported, the contact's external id or the address: the first that exists. */
export const conversationName = ({ contact, name, to }: Conversation): string =>
  contact?.name ?? name ?? contact?.external_id ?? to;
