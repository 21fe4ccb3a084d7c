import { member, textMember } from '../../../src/lib/json/json-member.ts';
import type { Reply, Request } from '../server/http.ts';
import { type Shape, literal, object, oneOf } from '../server/shape.ts';
import { problem } from './problem.ts';

/*
 * X's media API by its OpenAPI description: at once, or in pieces that X processes until its status has been
 * requested twice. https://docs.x.com/x-api/media/initialize-media-upload
 */

interface Upload {
  category: string;
  total: number;
  pieces: Buffer[];
  /** Status requests since the upload was complete. */
  asked?: number;
}

const invalid = (detail: string) => problem(400, 'invalid-request', detail);

const integer =
  (most: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most ? undefined : at;

const initialize = oneOf(
  object({
    media_category: literal('dm_gif'),
    media_type: literal('image/gif'),
    total_bytes: integer(15_000_000),
  }),
  object({
    media_category: literal('dm_video'),
    media_type: (value, at) =>
      ['video/mp4', 'video/quicktime', 'video/webm'].includes(String(value)) ? undefined : at,
    total_bytes: integer(512_000_000),
  }),
);

export class TwitterMedia {
  readonly #uploads = new Map<string, Upload>();

  /** Undefined for other requests. */
  answer(request: Request): Reply | undefined {
    const { method, path } = request;
    const [, id, does] = /^\/2\/media\/upload\/(\d{1,19})\/(append|finalize)$/.exec(path) ?? [];
    if (method === 'POST' && path === '/2/media/upload') return this.#atOnce(request);
    if (method === 'POST' && path === '/2/media/upload/initialize') return this.#begin(request);
    if (method === 'POST' && id !== undefined) {
      const upload = this.#uploads.get(id);
      if (!upload || upload.asked !== undefined) return invalid('no such upload is under way');
      return does === 'append' ? append(upload, request) : finalize(id, upload, request);
    }
    const [, asked] = /^\/2\/media\/upload\?command=STATUS&media_id=(\d{1,19})$/.exec(path) ?? [];
    return method === 'GET' && asked !== undefined ? this.#status(asked) : undefined;
  }

  /** Whether the media can be sent. */
  isReady(id: string): boolean {
    const upload = this.#uploads.get(id);
    return upload !== undefined && (upload.category === 'dm_image' || (upload.asked ?? 0) >= 2);
  }

  /** The assembled bytes. */
  get contents(): Buffer[] {
    return [...this.#uploads.values()].map(({ pieces }) => Buffer.concat(pieces));
  }

  /** X keeps media for a day. */
  clear(): void {
    this.#uploads.clear();
  }

  #add(upload: Upload): string {
    const id = `14554952471061319${this.#uploads.size + 10}`;
    this.#uploads.set(id, upload);
    return id;
  }

  #atOnce({ parts = [] }: Request): Reply {
    const [category, media, ...others] = parts;
    const isImage = category?.name === 'media_category' && category.bytes.toString() === 'dm_image';
    if (!isImage || media?.name !== 'media' || others.length > 0 || !media.filename) {
      return invalid('EMULATOR: not a picture for a message');
    }
    const { bytes } = media;
    if (bytes.length > 5_000_000) return invalid('File is too large');
    const id = this.#add({ category: 'dm_image', total: bytes.length, pieces: [bytes] });
    return { status: 200, body: { data: { id, media_key: `3_${id}`, size: bytes.length } } };
  }

  #begin({ json, headers }: Request): Reply {
    if (headers['content-type'] !== 'application/json') return invalid('EMULATOR: no JSON');
    const fault = initialize(json, 'request');
    if (fault !== undefined) return invalid(`EMULATOR: ${fault}`);
    const category = textMember(json, 'media_category') ?? '';
    const total = Number(member(json, 'total_bytes'));
    const id = this.#add({ category, total, pieces: [] });
    const data = { id, media_key: `13_${id}`, expires_after_secs: 86_400 };
    return { status: 200, body: { data } };
  }

  #status(id: string): Reply {
    const upload = this.#uploads.get(id);
    if (upload?.asked === undefined) return problem(404, 'resource-not-found', 'No such media');
    upload.asked++;
    return report(id, upload);
  }
}

/** At most 5 MB each, in order. */
function append(upload: Upload, { parts = [] }: Request): Reply {
  const [index, media, ...others] = parts;
  const isForm = index?.name === 'segment_index' && media?.name === 'media' && others.length === 0;
  if (!isForm || index.filename !== undefined || !media.filename) return invalid('EMULATOR: form');
  if (index.bytes.toString() !== String(upload.pieces.length)) return invalid('segment_index');
  if (media.bytes.length === 0 || media.bytes.length > 5_000_000) return invalid('size of segment');
  upload.pieces.push(media.bytes);
  return { status: 200, body: { data: { expires_at: 1_794_800_000 } } };
}

function finalize(id: string, upload: Upload, { bytes }: Request): Reply {
  const size = Buffer.concat(upload.pieces).length;
  if (bytes.length > 0 || size !== upload.total) return invalid('Invalid segment count or size');
  upload.asked = 0;
  return report(id, upload);
}

function report(id: string, { asked = 0, total, pieces }: Upload): Reply {
  const isBroken = Buffer.concat(pieces).includes('broken');
  const info = [
    { state: 'pending', check_after_secs: 1 },
    { state: 'in_progress', check_after_secs: 7, progress_percent: 40 },
    isBroken
      ? { state: 'failed', error: { code: 1, name: 'InvalidMedia', message: 'Unsupported codec' } }
      : { state: 'succeeded', progress_percent: 100 },
  ][Math.min(asked, 2)];
  const data = { id, media_key: `13_${id}`, size: total, expires_after_secs: 86_400 };
  return { status: 200, body: { data: { ...data, processing_info: info } } };
}
