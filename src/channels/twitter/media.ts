import type { FetchAnswer } from '../../lib/fetch.ts';
import { fileName, mediaTypeOf } from '../../lib/file-name.ts';
import { member, textMember } from '../../lib/member.ts';
import { type FormFile, multipart } from '../../lib/multipart.ts';

/*
 * Media for X. Pictures go up at once; films and pictures that move go in pieces, and X looks at them before they
 * can be sent. https://docs.x.com/x-api/media/quickstart/media-upload-chunked
 */

const PICTURES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
const FILMS = ['video/mp4', 'video/quicktime', 'video/webm', 'video/mp2t'];

const LARGEST_PICTURE = 5_000_000;
const LARGEST_MOVING = 15_000_000;

/** What nothing is known of may be taken. */
export function refusalOf(
  kind: 'image' | 'video',
  file: { url: string; mediaType?: string },
): string | undefined {
  const type = typeOf(file);
  const isImage = kind === 'image';
  if (type === undefined || (isImage ? PICTURES : FILMS).includes(type)) return undefined;
  const words = isImage ? 'pictures in PNG, JPEG, WebP and GIF' : 'films in MP4, MOV and WebM';
  return `X takes ${words}`;
}

/** By what it is said to be, or is called. */
function typeOf({ url, mediaType }: { url: string; mediaType?: string }): string | undefined {
  return mediaType?.toLowerCase() ?? mediaTypeOf(url);
}

/** How many bytes are worth to be downloaded. */
export function mostOf(file: { url: string; mediaType?: string }): number {
  const type = typeOf(file);
  if (type === 'image/gif') return LARGEST_MOVING;
  return type?.startsWith('image/') ? LARGEST_PICTURE : Number.POSITIVE_INFINITY;
}

export interface XMedia extends FormFile {
  category: 'dm_image' | 'dm_gif' | 'dm_video';
}

/** What X is told of a file; or why it is not given to it. */
export function toXMedia(
  file: { url: string; name?: string; mediaType?: string },
  downloaded: { bytes: Uint8Array; mediaType: string },
): XMedia | string {
  const { bytes } = downloaded;
  const mediaType = typeOf(file) ?? downloaded.mediaType;
  const media = { name: fileName(file.url, file.name, mediaType), mediaType, bytes };
  if (FILMS.includes(mediaType)) return { ...media, category: 'dm_video' };
  // What nobody knows may be a picture: X will tell.
  if (!PICTURES.includes(mediaType) && mediaType !== 'application/octet-stream') {
    return `X takes pictures and films, and this is ${mediaType}`;
  }
  const isMoving = mediaType === 'image/gif' && moves(bytes);
  const most = isMoving ? LARGEST_MOVING : LARGEST_PICTURE;
  if (bytes.length > most) return `X takes no such picture that is larger than ${most} bytes`;
  return { ...media, category: isMoving ? 'dm_gif' : 'dm_image' };
}

/** The end of a block and the beginning of one that says how long a picture is shown: GIF89a, section 23. */
const SHOWN_FOR = Buffer.from([0x00, 0x21, 0xf9, 0x04]);

/** Whether there is more than one picture in it. */
function moves(bytes: Uint8Array): boolean {
  const gif = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = gif.indexOf(SHOWN_FOR);
  return first !== -1 && gif.includes(SHOWN_FOR, first + 1);
}

type Form = ReturnType<typeof multipart>;

/** A call of X's interface, and what was answered; or why it was not asked. */
export type XCall<Failure> = (
  method: 'GET' | 'POST',
  path: string,
  body?: object | Form,
) => Promise<FetchAnswer | Failure>;

/** What was answered to the last call that was made: it is about the media, or says what went wrong. */
export async function uploadToX<Failure extends object>(
  { category, ...file }: XMedia,
  call: XCall<Failure>,
): Promise<FetchAnswer | Failure> {
  if (category === 'dm_image') {
    const fields = [['media_category', category] as const, ['media', file] as const];
    return call('POST', 'media/upload', multipart(fields));
  }
  const { mediaType: media_type, bytes } = file;
  const asked = { media_category: category, media_type, total_bytes: bytes.length };
  const begun = await call('POST', 'media/upload/initialize', asked);
  const id = 'status' in begun ? idIn(begun) : undefined;
  if (id === undefined) return begun;
  for (const [i, piece] of piecesOf(bytes).entries()) {
    const media = { ...file, mediaType: 'application/octet-stream', bytes: piece };
    const form = multipart([
      ['segment_index', String(i)],
      ['media', media],
    ]);
    const answer = await call('POST', `media/upload/${id}/append`, form);
    if (!('status' in answer) || answer.status >= 300) return answer;
  }
  return call('POST', `media/upload/${id}/finalize`);
}

/** Bytes; X takes up to a thousand pieces. */
const PIECE = 4 * 1024 * 1024;

function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / PIECE);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * PIECE, (i + 1) * PIECE));
}

function idIn(answer: FetchAnswer): string | undefined {
  const id = textMember(answer.json(), 'data', 'id') ?? '';
  return answer.status < 300 && /^\d{1,19}$/.test(id) ? id : undefined;
}

/** How far X is with media. */
export type XProgress =
  | { id: string; state: 'ready' }
  | { id: string; state: 'processing'; seconds: number; words: string }
  | { id: string; state: 'failed'; words: string };

/** In seconds, where X does not say when to ask again. */
const USUALLY = 5;

/** Undefined when it is not about media. */
export function progressIn(answer: FetchAnswer): XProgress | undefined {
  const id = idIn(answer);
  if (id === undefined) return undefined;
  const info = member(answer.json(), 'data', 'processing_info');
  const state = textMember(info, 'state');
  if (state === undefined || state === 'succeeded') return { id, state: 'ready' };
  if (state === 'failed') {
    const why = textMember(info, 'error', 'message') ?? 'it does not say why';
    return { id, state, words: `X cannot show it: ${why}` };
  }
  const [seconds, percent] = [member(info, 'check_after_secs'), member(info, 'progress_percent')];
  return {
    id,
    state: 'processing',
    seconds: typeof seconds === 'number' && seconds >= 0 ? seconds : USUALLY,
    words: `X has done ${typeof percent === 'number' ? percent : 0} %`,
  };
}

/** Of what is made ready for one message: what X calls it, and since when it is at it. */
interface Underway {
  id: string;
  since: number;
}

/** In milliseconds: how long X may be at it, and how long it keeps it. */
const LONGEST = 10 * 60 * 1000;
const KEPT = 12 * 60 * 60 * 1000;

/**
 * What X is at work on, by the key of the message that it is for, so that another try asks for it and need not
 * upload it again. Should this be lost, it does.
 */
export class Uploads {
  readonly #underway = new Map<string, Underway>();

  find(key: string, now: number): string | undefined {
    const found = this.#underway.get(key);
    return found && now - found.since < KEPT ? found.id : undefined;
  }

  /** Answers whether there is still hope. */
  note(key: string, id: string, now: number): boolean {
    for (const [each, { since }] of this.#underway) {
      if (now - since >= KEPT) this.#underway.delete(each);
    }
    const since = this.#underway.get(key)?.since ?? now;
    this.#underway.set(key, { id, since });
    return now - since < LONGEST;
  }

  forget(key: string): void {
    this.#underway.delete(key);
  }
}
