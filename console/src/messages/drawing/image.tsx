import { useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from 'react';

import { api } from '../../api/client.ts';

/** The message whose images the service loads; undefined for a message that is not stored. */
export const DrawnFrom = createContext<{ application: number; message: number } | undefined>(
  undefined,
);

export interface LoadedImageProps {
  url: string | undefined;
  alt: string;
  /** Shown until the image is loaded, and if it cannot be. */
  children: ReactNode;
}

/**
 * An image of a message. The browser would tell its site who reads the message, so the service loads it, checks that it
 * is an image, and limits its size.
 */
export function LoadedImage({ url, alt, children }: LoadedImageProps) {
  const from = useContext(DrawnFrom);
  const { data: blob } = useQuery({
    queryKey: ['application', from?.application, 'messages', from?.message, 'image', url],
    enabled: from !== undefined && url !== undefined && /^https?:/i.test(url),
    staleTime: Infinity,
    retry: false,
    queryFn: ({ signal }) =>
      api.blob(`/1/messages/${from?.message}/image`, {
        application: from?.application,
        query: { url },
        signal,
      }),
  });
  const address = useObjectUrl(blob);
  const [failed, setFailed] = useState<string>();
  if (address === undefined || failed === address) return children;
  return (
    <img
      src={address}
      alt={alt}
      data-testid="drawn-image"
      className="size-full object-contain"
      onError={() => setFailed(address)}
    />
  );
}

/** Undefined for an empty file. */
function useObjectUrl(blob: Blob | undefined): string | undefined {
  const address = useMemo(
    () => (blob && blob.size > 0 ? URL.createObjectURL(blob) : undefined),
    [blob],
  );
  useEffect(() => () => URL.revokeObjectURL(address ?? ''), [address]);
  return address;
}
