import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { type FormFile, multipart } from '../../lib/http/multipart.ts';
import { member, textMember } from '../../lib/json/json-member.ts';
import { fileName, mediaTypeOf } from '../../lib/text/file-name.ts';
import { type Failure, isFailure } from '../channel.ts';

/*
 * Media for X. Images are uploaded in one request; videos and animated images in chunks, which X processes before
 * they can be sent. https://docs.x.com/x-api/media/quickstart/media-upload-chunked
 */

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const VIDEO_TYPES = ['video/mp4', 'video/quicktime', 'video/webm', 'video/mp2t'];

const MAX_IMAGE_BYTES = 5_000_000;
const MAX_GIF_BYTES = 15_000_000;

/** Files of unknown type may be accepted. */
export function refusalOf(
  kind: 'image' | 'video',
  file: { url: string; mediaType?: string },
): string | undefined {
  const type = typeOf(file);
  const isImage = kind === 'image';
  if (type === undefined || (isImage ? IMAGE_TYPES : VIDEO_TYPES).includes(type)) return undefined;
  const description = isImage ? 'PNG, JPEG, WebP and GIF images' : 'MP4, MOV and WebM videos';
  return `X accepts ${description} only`;
}

/** Judged by media type or file name. */
function typeOf({ url, mediaType }: { url: string; mediaType?: string }): string | undefined {
  return mediaType?.toLowerCase() ?? mediaTypeOf(url);
}

/** Maximum download size in bytes. */
export function maxBytesFor(file: { url: string; mediaType?: string }): number {
  const type = typeOf(file);
  if (type === 'image/gif') return MAX_GIF_BYTES;
  return type?.startsWith('image/') ? MAX_IMAGE_BYTES : Number.POSITIVE_INFINITY;
}

interface XMedia extends FormFile {
  category: 'dm_image' | 'dm_gif' | 'dm_video';
}

/** A file in the format of X, or why X does not accept it. */
export function toXMedia(
  file: { url: string; name?: string; mediaType?: string },
  downloaded: { bytes: Uint8Array; mediaType: string },
): XMedia | string {
  const { bytes } = downloaded;
  const mediaType = typeOf(file) ?? downloaded.mediaType;
  const media = { name: fileName(file.url, file.name, mediaType), mediaType, bytes };
  if (VIDEO_TYPES.includes(mediaType)) return { ...media, category: 'dm_video' };
  // A file of unknown type may be an image; X decides.
  if (!IMAGE_TYPES.includes(mediaType) && mediaType !== 'application/octet-stream') {
    return `X accepts images and videos only, not ${mediaType}`;
  }
  const isAnimatedGif = mediaType === 'image/gif' && isAnimated(bytes);
  const max = isAnimatedGif ? MAX_GIF_BYTES : MAX_IMAGE_BYTES;
  if (bytes.length > max) return `X accepts no image of this type larger than ${max} bytes`;
  return { ...media, category: isAnimatedGif ? 'dm_gif' : 'dm_image' };
}

/** The end of a block and the beginning of a graphic control extension: GIF89a, section 23. */
const GRAPHIC_CONTROL = Buffer.from([0x00, 0x21, 0xf9, 0x04]);

/** Whether the image is animated. */
function isAnimated(bytes: Uint8Array): boolean {
  const gif = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = gif.indexOf(GRAPHIC_CONTROL);
  return first !== -1 && gif.includes(GRAPHIC_CONTROL, first + 1);
}

type Form = ReturnType<typeof multipart>;

/** Sends a request to X and returns the response, or why no request was made. */
type XCall = (
  method: 'GET' | 'POST',
  path: string,
  body?: object | Form,
) => Promise<FetchAnswer | Failure>;

/** Returns the last response: the state of the media, or an error. */
export async function uploadToX(
  { category, ...file }: XMedia,
  call: XCall,
): Promise<FetchAnswer | Failure> {
  if (category === 'dm_image') {
    const fields = [['media_category', category] as const, ['media', file] as const];
    return call('POST', 'media/upload', multipart(fields));
  }
  const { mediaType: media_type, bytes } = file;
  const declared = { media_category: category, media_type, total_bytes: bytes.length };
  const started = await call('POST', 'media/upload/initialize', declared);
  const id = isFailure(started) ? undefined : idIn(started);
  if (id === undefined) return started;
  for (const [i, chunk] of chunksOf(bytes).entries()) {
    const media = { ...file, mediaType: 'application/octet-stream', bytes: chunk };
    const form = multipart([
      ['segment_index', String(i)],
      ['media', media],
    ]);
    const answer = await call('POST', `media/upload/${id}/append`, form);
    if (isFailure(answer) || answer.status >= 300) return answer;
  }
  return call('POST', `media/upload/${id}/finalize`);
}

/** Bytes per chunk; X accepts up to a thousand chunks. */
const CHUNK_BYTES = 4 * 1024 * 1024;

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES),
  );
}

function idIn(answer: FetchAnswer): string | undefined {
  const id = textMember(answer.json(), 'data', 'id') ?? '';
  return answer.status < 300 && /^\d{1,19}$/.test(id) ? id : undefined;
}

/** The processing state of media. */
type XProgress =
  | { id: string; state: 'ready' }
  | { id: string; state: 'processing'; seconds: number; description: string }
  | { id: string; state: 'failed'; description: string };

/** Seconds between polls when X states none. */
const DEFAULT_POLL_SECONDS = 5;

/** Undefined when the response is not about media. */
export function progressIn(answer: FetchAnswer): XProgress | undefined {
  const id = idIn(answer);
  if (id === undefined) return undefined;
  const info = member(answer.json(), 'data', 'processing_info');
  const state = textMember(info, 'state');
  if (state === undefined || state === 'succeeded') return { id, state: 'ready' };
  if (state === 'failed') {
    const why = textMember(info, 'error', 'message') ?? 'no reason given';
    return { id, state, description: `X could not process the file: ${why}` };
  }
  const [seconds, percent] = [member(info, 'check_after_secs'), member(info, 'progress_percent')];
  return {
    id,
    state: 'processing',
    seconds: typeof seconds === 'number' && seconds >= 0 ? seconds : DEFAULT_POLL_SECONDS,
    description: `X processed ${typeof percent === 'number' ? percent : 0} % of the file`,
  };
}

/** Media being processed for a message: its id, and since when. */
interface PendingUpload {
  id: string;
  since: number;
}

/** In milliseconds: the longest processing time, and how long X keeps the media. */
const MAX_PROCESSING_MS = 10 * 60 * 1000;
const RETENTION_MS = 12 * 60 * 60 * 1000;

/**
 * Media being processed by X, by message key, so that a retry polls instead of uploading again. If this state is
 * lost, it uploads again.
 */
export class Uploads {
  readonly #pending = new Map<string, PendingUpload>();

  find(key: string, now: number): string | undefined {
    const pending = this.#pending.get(key);
    return pending && now - pending.since < RETENTION_MS ? pending.id : undefined;
  }

  /** Returns whether to keep waiting. */
  recordPending(key: string, id: string, now: number): boolean {
    for (const [each, { since }] of this.#pending) {
      if (now - since >= RETENTION_MS) this.#pending.delete(each);
    }
    const since = this.#pending.get(key)?.since ?? now;
    this.#pending.set(key, { id, since });
    return now - since < MAX_PROCESSING_MS;
  }

  forget(key: string): void {
    this.#pending.delete(key);
  }
}
