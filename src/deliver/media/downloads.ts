import type { Downloaded, DownloadLimit, Failure } from '../../channels/channel.ts';
import type { HttpClient } from '../../lib/http/client.ts';
import type { Download, FoundFile } from '../../lib/http/download.ts';
import { FetchFault, FetchRefusal } from '../../lib/http/fetch.ts';
import { MEDIA_TYPE } from '../../lib/http/multipart.ts';
import type { Share } from '../../lib/runtime/byte-semaphore.ts';

/** The largest file that is downloaded to be uploaded, even if the vendor accepts larger ones. */
export const MAX_FILE_BYTES = 32 * 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';

/** Memory reserved for files, and how many bytes of it are used. */
interface Place {
  readonly share: Share;
  readonly maxBytes: number;
  used: number;
}

/** Fetches a file that somebody sent to us, from its channel; undefined for any other address. */
export type Received = (url: string, signal: AbortSignal) => Promise<FoundFile> | undefined;

/**
 * Downloads the files that one attempt needs. Their URLs come from the message, so the operator's trusted addresses do
 * not apply. Files that the application received come from their channel. The files occupy reserved memory until
 * `close`.
 */
export class Files {
  readonly #network: HttpClient;
  readonly #signal: AbortSignal;
  readonly #received: Received;
  readonly #shares: Share[] = [];

  constructor(network: HttpClient, signal: AbortSignal, received: Received = () => undefined) {
    this.#network = network;
    this.#signal = signal;
    this.#received = received;
  }

  async download(url: string, { maxBytes }: DownloadLimit): Promise<Downloaded | Failure> {
    const place = await this.#enter(maxBytes);
    return 'outcome' in place ? place : this.#get(url, place, true);
  }

  /** Reserves memory for all files before the first download: otherwise two attempts could wait for each other. */
  async downloadAll(
    urls: readonly string[],
    { maxBytes }: DownloadLimit,
  ): Promise<(Downloaded | Failure)[]> {
    const place = await this.#enter(maxBytes);
    if ('outcome' in place) return urls.map(() => place);
    const files: (Downloaded | Failure)[] = [];
    for (const [i, url] of urls.entries()) {
      files.push(await this.#get(url, place, i === urls.length - 1));
    }
    return files;
  }

  /** Reserves memory before the request, because a response that has begun cannot be paused. */
  async #enter(wanted: number): Promise<Place | Failure> {
    const { room } = this.#network;
    const maxBytes = Math.min(wanted, MAX_FILE_BYTES, room.size);
    try {
      const share = await room.take(maxBytes, this.#signal);
      this.#shares.push(share);
      return { share, maxBytes, used: 0 };
    } catch {
      return later('no memory was free for it in time');
    }
  }

  async #get(url: string, place: Place, isLast: boolean): Promise<Downloaded | Failure> {
    const { share, maxBytes, used } = place;
    const options = { signal: this.#signal, maxBytes: maxBytes - used };
    try {
      const received = this.#received(url, this.#signal);
      if (received) return await takeReceived(await received, place);
      const answer = await this.#network.download(url, undefined, options);
      const failure = failureOf(answer);
      if (failure) {
        answer.body.destroy();
        return failure;
      }
      const told = answer.header('content-length');
      if (isLast && told !== undefined) share.shrink(used + Number(told));
      const bytes = Buffer.concat((await answer.body.toArray()) as Uint8Array[]);
      place.used += bytes.length;
      if (bytes.length === 0) return lost('the file is empty');
      return { bytes, mediaType: mediaTypeOf(answer) };
    } catch (error) {
      if (error instanceof FetchRefusal) return lost(error.message);
      if (error instanceof FetchFault) return later(error.message);
      throw error;
    } finally {
      if (isLast) share.shrink(place.used);
    }
  }

  close(): void {
    for (const share of this.#shares.splice(0)) share.leave();
  }
}

async function takeReceived(found: FoundFile, place: Place): Promise<Downloaded | Failure> {
  if ('fault' in found) return found.isGone ? lost(found.fault) : later(found.fault);
  const { body, mediaType } = found;
  const maxBytes = place.maxBytes - place.used;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // To leave the loop is to destroy the body.
    if (size > maxBytes) return lost(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  place.used += size;
  return size === 0
    ? lost('it is empty')
    : { bytes: Buffer.concat(chunks), mediaType: typeIn(mediaType) };
}

function mediaTypeOf({ header }: Download): string {
  return typeIn(header('content-type'));
}

function typeIn(contentType = ''): string {
  const [type = ''] = contentType.split(';', 1);
  const written = type.trim().toLowerCase();
  return MEDIA_TYPE.test(written) ? written : UNKNOWN_TYPE;
}

function failureOf({ status, header }: Download): Failure | undefined {
  const encoding = header('content-encoding') ?? 'identity';
  if (status === 200) {
    if (encoding === 'identity') return undefined;
    return lost(`the server answered in the encoding ${encoding}, which was not requested`);
  }
  const code = String(status);
  if (status >= 300 && status < 400) {
    return lost(`the server answered ${code}, and redirects are not followed`, code);
  }
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  const detail = `the server answered ${code}`;
  return mayPass ? later(detail, code) : lost(detail, code);
}

function lost(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  return { outcome: 'permanent', blame: 'content', detail, ...(code !== undefined && { code }) };
}

function later(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  const failure = { outcome: 'transient', maybeSent: false, detail, blame: 'content' } as const;
  return { ...failure, ...(code !== undefined && { code }) };
}
