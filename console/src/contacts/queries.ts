import { keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type {
  Contact,
  ContactAddress,
  ContactImport,
  ContactImportError,
  ContactMerge,
  Conversation,
  Erasure,
} from '../api/types.ts';
import { refreshNames } from '../conversations/queries.ts';

const keyOf = (application: number) => ['application', application, 'contacts'];

/** Newest first, or those that a search finds. */
export const contactsQuery = (application: number, search: string) => ({
  ...pagesOptions<Contact>([...keyOf(application), 'list', search], '/1/contacts', {
    application,
    query: { limit: 50, search },
  }),
  placeholderData: keepPreviousData,
});

export const contactQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id],
    queryFn: ({ signal }) => api.get<Contact>(`/1/contacts/${id}`, { application, signal }),
  });

/** The conversations of a contact, the newest message first. */
export const contactConversationsQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id, 'conversations'],
    queryFn: async ({ signal }) => {
      const query = { contact_id: id };
      const path = '/1/conversations';
      return (await api.list<Conversation>(path, { application, query, signal })).items;
    },
  });

const IMPORT_POLL_MS = 1_000;

export const isRunning = ({ finished_at: finishedAt }: ContactImport) => finishedAt === null;

/** An import, polled until it is done. */
export const importQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'contact-imports', id],
    queryFn: ({ signal }) =>
      api.get<ContactImport>(`/1/contact-imports/${id}`, { application, signal }),
    refetchInterval: ({ state }) => (state.data && !isRunning(state.data) ? false : IMPORT_POLL_MS),
  });

const MAX_SHOWN_ERRORS = 100;

/** The first errors of a finished import. */
export const importErrorsQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'contact-imports', id, 'errors'],
    queryFn: async ({ signal }) => {
      const path = `/1/contact-imports/${id}/errors`;
      const query = { limit: MAX_SHOWN_ERRORS };
      return (await api.list<ContactImportError>(path, { application, query, signal })).items;
    },
  });

/** Imports a CSV file, or one with a JSON object per line if its name ends in `.ndjson` or `.jsonl`. */
export const useImportContacts = (application: number) =>
  useMutation({
    mutationFn: (file: File) => {
      const isLines = /\.(?:ndjson|jsonl)$/i.test(file.name);
      const type = isLines ? 'application/x-ndjson' : 'text/csv';
      return api.upload<ContactImport>(
        '/1/contact-imports',
        { bytes: file, type },
        { application, idempotencyKey: crypto.randomUUID() },
      );
    },
  });

/** Fetches contacts again, and the conversations, which show their names. */
export async function refetchContacts(application: number): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: keyOf(application) }),
    refreshNames(application),
  ]);
}

export type ContactFields = Pick<
  Contact,
  'external_id' | 'name' | 'locale' | 'timezone' | 'fields'
>;
export type NewAddress = Pick<ContactAddress, 'channel' | 'address'> &
  Partial<Pick<ContactAddress, 'label' | 'preference' | 'state'>>;

export const useCreateContact = (application: number) =>
  useMutation({
    mutationFn: (contact: Partial<ContactFields> & { addresses: readonly NewAddress[] }) =>
      api.post<Contact>('/1/contacts', contact, { application }),
    onSuccess: () => refetchContacts(application),
  });

export const useChangeContact = (application: number, id: number) =>
  useMutation({
    mutationFn: (fields: ContactFields) => api.put(`/1/contacts/${id}`, fields, { application }),
    onSuccess: () => refetchContacts(application),
  });

export const deleteContact = (application: number, id: number) =>
  api.delete(`/1/contacts/${id}`, { application });

/** Call this only when no visible page needs the contact any more: a page would ask for it again. */
export function forgetContact(application: number, id: number): void {
  queryClient.removeQueries({ queryKey: contactQuery(application, id).queryKey });
  void refetchContacts(application);
}

export const useAddAddress = (application: number, contact: number) =>
  useMutation({
    mutationFn: (address: NewAddress) =>
      api.post<ContactAddress>(`/1/contacts/${contact}/addresses`, address, { application }),
    onSuccess: () => refetchContacts(application),
  });

export type AddressChange = Partial<Pick<ContactAddress, 'label' | 'preference' | 'state'>>;

export const useChangeAddress = (application: number, contact: number, id: number) =>
  useMutation({
    mutationFn: (change: AddressChange) =>
      api.put(`/1/contacts/${contact}/addresses/${id}`, change, { application }),
    onSuccess: () => refetchContacts(application),
  });

export async function removeAddress(application: number, contact: number, id: number) {
  await api.delete(`/1/contacts/${contact}/addresses/${id}`, { application });
  await refetchContacts(application);
}

/** The contacts that were merged into one, the newest merge first. */
export const mergesQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), 'one', id, 'merges'],
    queryFn: async ({ signal }) => {
      const path = `/1/contacts/${id}/merges`;
      return (await api.list<ContactMerge>(path, { application, signal })).items;
    },
  });

/** Merges the other contact into this one. */
export const useMerge = (application: number, id: number) =>
  useMutation({
    mutationFn: (other: number) =>
      api.post<Contact>(`/1/contacts/${id}/merge`, { contact_id: other }, { application }),
    onSuccess: () => refetchContacts(application),
  });

/** Takes a merged contact out of this one. */
export async function unmerge(application: number, id: number, other: number): Promise<void> {
  await api.post(`/1/contacts/${id}/unmerge`, { contact_id: other }, { application });
  await refetchContacts(application);
}

/** Erases everything about the person. The contact is gone afterwards, the rest soon after. */
export async function eraseContact(application: number, id: number): Promise<void> {
  const erasure = await api.post<Erasure>(`/1/contacts/${id}/erase`, {}, { application });
  queryClient.setQueryData(erasureQuery(application, id).queryKey, erasure);
  // The contact first, so that its page requests no related data any more.
  const { queryKey } = contactQuery(application, id);
  await queryClient.invalidateQueries({ queryKey, exact: true });
  await refetchContacts(application);
}

const ERASURE_POLL_MS = 1_000;

/** An erasure, polled until it is done. */
export const erasureQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: ['application', application, 'erasures', id],
    queryFn: ({ signal }) => api.get<Erasure>(`/1/contacts/${id}/erasure`, { application, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? ERASURE_POLL_MS : false),
  });
