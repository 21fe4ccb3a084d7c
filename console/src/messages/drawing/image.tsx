import { useQuery } from '@tanstack/react-query';
import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from 'react';

import { api } from '../../api/client.ts';
import { receivedPath } from './received-file.ts';

/** Where the drawn message is stored. */
interface DrawnSource {
  application: number;
  /** The sent message, whose images the service loads. */
  message?: number;
  /** The event of a received message. */
  event?: number;
}

/** Undefined for a message that is not stored. */
export const DrawnFrom = createContext<DrawnSource | undefined>(undefined);

const MAX_RECEIVED_BYTES = 10_000_000;

interface LoadedImageProps {
  url: string | undefined;
  alt: string;
  /** Shown until the image is loaded, and if it cannot be. */
  children: ReactNode;
}

/**
 * An image of a message. A browser that loaded it would tell its site who reads the message, so the service loads it,
 * checks that it is an image, and limits its size.
 */
export function LoadedImage({ url, alt, children }: LoadedImageProps) {
  const from = useContext(DrawnFrom);
  const { application, message, event } = from ?? {};
  const received = receivedPath(url, event);
  const isLoadable = message !== undefined && /^https?:/i.test(url ?? '');
  const { data: blob } = useQuery({
    queryKey: ['application', application, 'messages', message ?? event, 'image', url],
    enabled: application !== undefined && (received !== undefined || isLoadable),
    staleTime: Infinity,
    retry: false,
    queryFn: ({ signal }) =>
      received === undefined
        ? api.blob(`/1/messages/${message}/image`, { application, query: { url }, signal })
        : api.smallBlob(received, MAX_RECEIVED_BYTES, { application, signal }),
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
