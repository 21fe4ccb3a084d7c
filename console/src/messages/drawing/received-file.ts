import { useMutation } from '@tanstack/react-query';

import { api } from '../../api/client.ts';
import { toast } from '../../ui/toast.tsx';

const RECEIVED = /^\/1\/events\/(\d{1,16})\/media\/\d{1,4}$/;
const UPLOADED = /^\/1\/conversations\/\d{1,16}\/files\/[\w-]{22}$/;

/**
 * The path of a file that the service has: a received one, or one that was uploaded for a reply; undefined for other
 * URLs. With an event, only its own files count: a person could write any URL.
 */
export function receivedPath(url: string | undefined, event?: number): string | undefined {
  const path = url === undefined ? '' : (URL.parse(url)?.pathname ?? '');
  if (event === undefined && UPLOADED.test(path)) return path;
  const [, id] = RECEIVED.exec(path) ?? [];
  return id !== undefined && (event === undefined || Number(id) === event) ? path : undefined;
}

/** Saves a file of the API. It is never opened here: the content of a received one is untrusted. */
export function useSaveFile(application: number | undefined) {
  return useMutation({
    mutationFn: async ({ path, name }: { path: string; name: string | undefined }) => {
      const blob = await api.blob(path, { application });
      const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name ?? 'file';
      link.click();
      URL.revokeObjectURL(url);
    },
    onError: toast.error,
  });
}
