import type { Conversation } from '../api/types.ts';

/** The contact's name, else the name that the vendor reported, else the address. */
export const conversationName = ({ contact, name, to }: Conversation): string =>
  contact?.name ?? name ?? contact?.external_id ?? to;
