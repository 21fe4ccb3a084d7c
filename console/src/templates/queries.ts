import { queryOptions, useMutation } from '@tanstack/react-query';

import { api } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import type { Template, TemplateDetail, TemplatePreview, VendorTemplates } from '../api/types.ts';

const MAX_LISTED = 1000;

const templatesKey = (application: number) => ['application', application, 'templates'];

/** The application's own templates, newest first. */
export const templatesQuery = (application: number) =>
  queryOptions({
    queryKey: templatesKey(application),
    queryFn: async ({ signal }) => {
      const query = { limit: MAX_LISTED };
      return (await api.list<Template>('/1/templates', { application, query, signal })).items;
    },
  });

/** The newest version, or the given one. */
export const templateQuery = (application: number, id: number, version?: number) =>
  queryOptions({
    queryKey: [...templatesKey(application), id, version ?? 'newest'],
    queryFn: ({ signal }) =>
      api.get<TemplateDetail>(`/1/templates/${id}`, {
        application,
        query: version === undefined ? {} : { version },
        signal,
      }),
  });

export const vendorTemplatesQuery = (application: number, integration: number) =>
  queryOptions({
    queryKey: ['application', application, 'integrations', integration, 'templates'],
    queryFn: ({ signal }) =>
      api.get<VendorTemplates>(`/1/integrations/${integration}/templates`, { application, signal }),
  });

export function useSync(application: number, integration: number) {
  return useMutation({
    mutationFn: () =>
      api.post(`/1/integrations/${integration}/templates/sync`, undefined, { application }),
    onSuccess: () => queryClient.invalidateQueries(vendorTemplatesQuery(application, integration)),
  });
}

export type NewTemplate = Pick<Template, 'name' | 'default_language' | 'contents'>;

export function useCreateTemplate(application: number) {
  return useMutation({
    mutationFn: (template: NewTemplate) =>
      api.post<Template>('/1/templates', template, { application }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: templatesKey(application) }),
  });
}

export function useAddVersion(application: number, id: number) {
  return useMutation({
    mutationFn: (version: Omit<NewTemplate, 'name'>) =>
      api.put(`/1/templates/${id}`, version, { application }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: templatesKey(application) }),
  });
}

export async function deleteTemplate(application: number, id: number): Promise<void> {
  await api.delete(`/1/templates/${id}`, { application });
}

/** Call this only when no visible page needs the template any more: a page would ask for it again. */
export function forgetTemplate(application: number, id: number): void {
  queryClient.removeQueries({ queryKey: [...templatesKey(application), id] });
  void queryClient.invalidateQueries({ queryKey: templatesKey(application), exact: true });
}

interface PreviewRequest {
  version: number;
  language: string;
  parameters: Record<string, unknown>;
}

export function usePreview(application: number, id: number) {
  return useMutation({
    mutationFn: (request: PreviewRequest) =>
      api.post<TemplatePreview>(`/1/templates/${id}/preview`, request, { application }),
  });
}
