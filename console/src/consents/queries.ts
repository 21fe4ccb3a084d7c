import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { pagesOptions } from '../api/pages.ts';
import { queryClient } from '../api/query-client.ts';
import type { Consent, ConsentDetail } from '../api/types.ts';

const keyOf = (application: number) => ['application', application, 'consents'] as const;

/** All consents, newest first, or those of one address. */
export const consentsQuery = (application: number, address: string) =>
  pagesOptions<Consent>([...keyOf(application), 'list', address], '/1/consents', {
    application,
    query: { limit: 50, address },
  });

/** A consent with the changes of its address. */
export const consentQuery = (application: number, id: number) =>
  queryOptions({
    queryKey: [...keyOf(application), id],
    queryFn: ({ signal }) => api.get<ConsentDetail>(`/1/consents/${id}`, { application, signal }),
  });

export type NewConsent = Pick<Consent, 'family' | 'address' | 'state'> & {
  scope: 'all' | 'marketing';
  evidence?: string;
};

export const useSetConsent = (application: number) =>
  useMutation({
    mutationFn: (consent: NewConsent) => api.post<Consent>('/1/consents', consent, { application }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(application) }),
  });
