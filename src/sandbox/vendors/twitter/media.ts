import { member, textMember } from '../../../lib/json/json-member.ts';
import type { Phone, PhoneFile } from '../../phone.ts';
import type { ShownMedia } from '../../shown.ts';
import type { Reply, Request } from '../../wire/request.ts';
import { type Shape, literal, object, oneOf } from '../../wire/shape.ts';
import { invalid, problem } from './problem.ts';

/*
 * X's media API, according to its OpenAPI description. A file is uploaded at once or in pieces. The simulated X finishes
 * processing a file uploaded in pieces after two status requests.
 * https://docs.x.com/x-api/media/initialize-media-upload
 */

const integer =
  (max: number): Shape =>
  (value, at) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max ? undefined : at;

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

/** Ids are decimal at X, hexadecimal on the phone. */
const mediaIdOf = (file: string) => BigInt(`0x1${file}`).toString();
const fileIdOf = (media: string) => BigInt(media).toString(16).slice(1);
const newFileId = (phone: Phone) => phone.newId().slice(0, 14);

/** The progress of an upload in pieces. Stored as the name of the file until the upload is complete. */
interface Progress {
  total: number;
  pieces: number;
  /** Status requests since the last piece; -1 before. */
  asked: number;
}

const PROGRESS = /^upload (\d+) (\d+) (-?\d+)$/;

function progressOf({ name }: PhoneFile): Progress | undefined {
  const [, total, pieces, asked] = PROGRESS.exec(name) ?? [];
  if (total === undefined) return undefined;
  return { total: Number(total), pieces: Number(pieces), asked: Number(asked) };
}

const keep = (phone: Phone, file: PhoneFile, { total, pieces, asked }: Progress) =>
  phone.putFile({ ...file, name: `upload ${total} ${pieces} ${asked}` });

/** Undefined for requests that are not about media. */
export async function answerMedia(request: Request, phone: Phone): Promise<Reply | undefined> {
  const { method, path } = request;
  const [, id, action] = /^\/2\/media\/upload\/(\d{1,19})\/(append|finalize)$/.exec(path) ?? [];
  if (method === 'POST' && path === '/2/media/upload') return uploadAtOnce(request, phone);
  if (method === 'POST' && path === '/2/media/upload/initialize') return begin(request, phone);
  if (method === 'POST' && id !== undefined) {
    const file = await phone.file(fileIdOf(id));
    const progress = file && progressOf(file);
    if (!progress || progress.asked >= 0) return invalid('no such upload is under way');
    return action === 'append'
      ? append(file, progress, request, phone)
      : finalize(file, progress, request, phone);
  }
  const [, asked] = /^\/2\/media\/upload\?command=STATUS&media_id=(\d{1,19})$/.exec(path) ?? [];
  return method === 'GET' && asked !== undefined ? status(asked, phone) : undefined;
}

/** What a message with this media shows; undefined if X has no such media, or still processes it. */
export async function shownMedia(id: string, phone: Phone): Promise<ShownMedia | undefined> {
  const file = /^\d{1,19}$/.test(id) ? await phone.file(fileIdOf(id)) : undefined;
  if (!file || progressOf(file)) return undefined;
  const { name, mediaType } = file;
  const type = mediaType.startsWith('video/') ? 'Video' : 'Image';
  return { type, file: file.id, name, media_type: mediaType };
}

async function uploadAtOnce({ parts = [] }: Request, phone: Phone): Promise<Reply> {
  const [category, media, ...others] = parts;
  const isImage = category?.name === 'media_category' && category.bytes.toString() === 'dm_image';
  if (!isImage || media?.name !== 'media' || others.length > 0 || !media.filename) {
    return invalid('SIMULATOR: not an image for a message');
  }
  const { bytes, filename, mediaType = 'image/png' } = media;
  if (bytes.length > 5_000_000) return invalid('File is too large');
  const file = newFileId(phone);
  await phone.putFile({ id: file, name: filename, mediaType, bytes });
  const id = mediaIdOf(file);
  return { status: 200, body: { data: { id, media_key: `3_${id}`, size: bytes.length } } };
}

async function begin({ json, headers }: Request, phone: Phone): Promise<Reply> {
  if (headers['content-type'] !== 'application/json') return invalid('SIMULATOR: no JSON');
  const fault = initialize(json, 'request');
  if (fault !== undefined) return invalid(`SIMULATOR: ${fault}`);
  const mediaType = textMember(json, 'media_type') ?? '';
  const total = Number(member(json, 'total_bytes'));
  const file = { id: newFileId(phone), name: '', mediaType, bytes: Buffer.alloc(0) };
  await keep(phone, file, { total, pieces: 0, asked: -1 });
  const id = mediaIdOf(file.id);
  const data = { id, media_key: `13_${id}`, expires_after_secs: 86_400 };
  return { status: 200, body: { data } };
}

/** At most 5 MB each, in order. */
async function append(
  file: PhoneFile,
  progress: Progress,
  { parts = [] }: Request,
  phone: Phone,
): Promise<Reply> {
  const [index, media, ...others] = parts;
  const isForm = index?.name === 'segment_index' && media?.name === 'media' && others.length === 0;
  if (!isForm || index.filename !== undefined || !media.filename) return invalid('SIMULATOR: form');
  if (index.bytes.toString() !== String(progress.pieces)) return invalid('segment_index');
  if (media.bytes.length === 0 || media.bytes.length > 5_000_000) return invalid('size of segment');
  const bytes = Buffer.concat([file.bytes, media.bytes]);
  await keep(phone, { ...file, bytes }, { ...progress, pieces: progress.pieces + 1 });
  return { status: 200, body: { data: { expires_at: Math.floor(phone.now() / 1000) + 86_400 } } };
}

async function finalize(
  file: PhoneFile,
  progress: Progress,
  { bytes }: Request,
  phone: Phone,
): Promise<Reply> {
  if (bytes.length > 0 || file.bytes.length !== progress.total) {
    return invalid('Invalid segment count or size');
  }
  await keep(phone, file, { ...progress, asked: 0 });
  return report(file, 0);
}

async function status(id: string, phone: Phone): Promise<Reply> {
  const file = await phone.file(fileIdOf(id));
  const progress = file && progressOf(file);
  if (!file || progress?.asked === -1) return problem(404, 'resource-not-found', 'No such media');
  const asked = progress ? progress.asked + 1 : CHECKS_UNTIL_DONE;
  const isDone = asked >= CHECKS_UNTIL_DONE && !isBroken(file);
  if (progress && isDone) await phone.putFile({ ...file, name: nameOf(file) });
  else if (progress) await keep(phone, file, { ...progress, asked });
  return report(file, asked);
}

const CHECKS_UNTIL_DONE = 2;
const isBroken = ({ bytes }: PhoneFile) => bytes.includes('broken');
const nameOf = ({ mediaType }: PhoneFile) => `media.${mediaType.split('/')[1]}`;

function report(file: PhoneFile, asked: number): Reply {
  const info = [
    { state: 'pending', check_after_secs: 1 },
    { state: 'in_progress', check_after_secs: 7, progress_percent: 40 },
    isBroken(file)
      ? { state: 'failed', error: { code: 1, name: 'InvalidMedia', message: 'Unsupported codec' } }
      : { state: 'succeeded', progress_percent: 100 },
  ][Math.min(asked, CHECKS_UNTIL_DONE)];
  const id = mediaIdOf(file.id);
  const size = file.bytes.length;
  const data = { id, media_key: `13_${id}`, size, expires_after_secs: 86_400 };
  return { status: 200, body: { data: { ...data, processing_info: info } } };
}
