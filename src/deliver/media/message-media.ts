import type { FoundFile } from '../../lib/http/download.ts';
import type { MediaReference } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { IntegrationMode } from '../../model/integration.ts';
import type { PlannedMessage } from '../plans.ts';
import type { Received } from './downloads.ts';

/** The received files in a message to send. */
export interface MessageMedia {
  /** The activity with URLs that vendors can fetch. */
  json?: string;
  open: Received;
  /** The signatures of those URLs, to mask in attempts. */
  secrets: readonly string[];
}

export const NO_MEDIA: MessageMedia = { open: () => undefined, secrets: [] };

/** Fetches a received file from its channel. */
export type FetchReceived = (
  applicationId: Id,
  reference: MediaReference,
  signal: AbortSignal,
) => Promise<FoundFile>;

export function messageMedia(
  { files, json }: PlannedMessage,
  { applicationId, mode }: { applicationId: Id; mode: IntegrationMode },
  fetchReceived: FetchReceived | undefined,
): MessageMedia {
  if (files.length === 0) return { ...NO_MEDIA, json };
  return {
    json,
    open(url, signal) {
      const file = files.find(({ signedUrl }) => signedUrl === url);
      // Files that people sent are stored by their vendor, which may be a live one; uploaded files are stored by the service.
      if (!file || (mode !== 'live' && !file.reference.isUploaded)) return undefined;
      return fetchReceived?.(applicationId, file.reference, signal);
    },
    secrets: files.map(({ signature }) => signature),
  };
}
