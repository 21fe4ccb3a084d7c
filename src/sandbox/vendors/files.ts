import { type MediaKind, mediaKind } from '../../lib/http/media-kind.ts';
import { mediaTypeOf } from '../../lib/text/file-name.ts';
import type { Phone, PhoneFile } from '../phone.ts';
import type { PhoneEntry } from '../shown.ts';
import type { Reply } from '../wire/request.ts';

/* Files and repeated requests, as all vendors treat them. */

/** How a file is shown, by the extension of its name or URL. */
export function kindOfFile(name: string): MediaKind {
  const url = URL.canParse(name) ? name : `https://example.com/${encodeURIComponent(name)}`;
  return mediaKind(mediaTypeOf(url));
}

/** Serves a file; undefined if there is none. */
export function fileReply(file: PhoneFile | undefined): Reply | undefined {
  if (!file) return undefined;
  return { status: 200, headers: { 'content-type': file.mediaType }, body: file.bytes };
}

/** Shows a message, or finds the one that the same key showed before: some vendors recognize repeats for a while. */
export async function showOnce(
  phone: Phone,
  key: string,
  show: () => Promise<PhoneEntry>,
  windowMs = Number.POSITIVE_INFINITY,
): Promise<{ entry: PhoneEntry; isRepeat: boolean }> {
  const id = `${key}.key`;
  const before = await phone.file(id);
  const shown = before && (await phone.find(before.name));
  if (shown && phone.now() - shown.createdAt < windowMs) return { entry: shown, isRepeat: true };
  const entry = await show();
  await phone.putFile({ id, name: entry.vendorId, mediaType: '', bytes: Buffer.alloc(0) });
  return { entry, isRepeat: false };
}
