import type { Channel } from '../channels/channel.ts';
import {
  type MediaLookup,
  type WithMedia,
  mayHaveMedia,
  withMedia,
} from '../compose/received-media.ts';
import type { Id } from '../model/id.ts';
import { Problem } from '../model/problem.ts';
import type { Draft } from './draft.ts';

/* Received files in outgoing messages. */

export type OutboundMedia = Omit<MediaLookup, 'isShown'>;

/** The draft with its received files resolved, as a dry run shows them. Throws a Problem for a missing file. */
export async function resolveMedia(
  applicationId: Id,
  draft: Draft,
  media: OutboundMedia | undefined,
): Promise<WithMedia> {
  const { attachment } = draft.activity.object;
  const mayHaveFiles = mayHaveMedia(draft.text) || attachment !== undefined;
  if (!media || !mayHaveFiles) return { ...draft, files: [], missing: [] };
  const result = await withMedia(draft, applicationId, { ...media, isShown: true });
  const [url] = result.missing;
  if (url === undefined) return result;
  const detail = `the application has received no file at ${url}`;
  const errors = [{ pointer: `${draft.pointer}/object`, detail }];
  throw new Problem('unknown_media', detail, { errors });
}

export function publicUrlMissing({ title }: Channel, pointer: string): Problem {
  const detail = `${title} fetches the file from an address of this service, and no public URL is set`;
  return new Problem('public_url_missing', detail, {
    errors: [{ pointer: `${pointer}/object`, detail }],
  });
}
