import type { Downloaded, DownloadLimit, Failure } from '../../channels/channel.ts';
import type { HttpClient } from '../../lib/http/client.ts';
import type { Download, FoundFile } from '../../lib/http/download.ts';
import { FetchFault, FetchRefusal } from '../../lib/http/fetch.ts';
import { MEDIA_TYPE } from '../../lib/http/multipart.ts';
import type { Share } from '../../lib/runtime/byte-semaphore.ts';

/** The largest file that is downloaded for an upload, even if the vendor accepts larger ones. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const UNKNOWN_TYPE = 'application/octet-stream';

/** Memory reserved for files, and how many bytes of it are used. */
interface Reservation {
  readonly share: Share;
  readonly maxBytes: number;
  used: number;
}

/** Fetches a received file from its channel; undefined for any other URL. */
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
    const reservation = await this.#reserve(maxBytes);
    return 'outcome' in reservation ? reservation : this.#get(url, reservation, true);
  }

  /** Reserves memory for all files before the first download: otherwise two attempts could wait for each other. */
  async downloadAll(
    urls: readonly string[],
    { maxBytes }: DownloadLimit,
  ): Promise<(Downloaded | Failure)[]> {
    const reservation = await this.#reserve(maxBytes);
    if ('outcome' in reservation) return urls.map(() => reservation);
    const files: (Downloaded | Failure)[] = [];
    for (const [i, url] of urls.entries()) {
      files.push(await this.#get(url, reservation, i === urls.length - 1));
    }
    return files;
  }

  /** Reserves memory before the request, because a response that has begun cannot be paused. */
  async #reserve(requestedBytes: number): Promise<Reservation | Failure> {
    const { fileMemory } = this.#network;
    const maxBytes = Math.min(requestedBytes, MAX_FILE_BYTES, fileMemory.size);
    try {
      const share = await fileMemory.take(maxBytes, this.#signal);
      this.#shares.push(share);
      return { share, maxBytes, used: 0 };
    } catch {
      return transientFailure('no memory was free for it in time');
    }
  }

  async #get(
    url: string,
    reservation: Reservation,
    isLast: boolean,
  ): Promise<Downloaded | Failure> {
    const { share, maxBytes, used } = reservation;
    const options = { signal: this.#signal, maxBytes: maxBytes - used };
    try {
      const received = this.#received(url, this.#signal);
      if (received) return await readReceived(await received, reservation);
      const answer = await this.#network.download(url, undefined, options);
      const failure = failureOf(answer);
      if (failure) {
        answer.body.destroy();
        return failure;
      }
      const contentLength = answer.header('content-length');
      if (isLast && contentLength !== undefined) share.shrink(used + Number(contentLength));
      const bytes = Buffer.concat((await answer.body.toArray()) as Uint8Array[]);
      reservation.used += bytes.length;
      if (bytes.length === 0) return permanentFailure('the file is empty');
      return { bytes, mediaType: mediaTypeOf(answer) };
    } catch (error) {
      if (error instanceof FetchRefusal) return permanentFailure(error.message);
      if (error instanceof FetchFault) return transientFailure(error.message);
      throw error;
    } finally {
      if (isLast) share.shrink(reservation.used);
    }
  }

  close(): void {
    for (const share of this.#shares.splice(0)) share.release();
  }
}

async function readReceived(
  found: FoundFile,
  reservation: Reservation,
): Promise<Downloaded | Failure> {
  if ('fault' in found)
    return found.isGone ? permanentFailure(found.fault) : transientFailure(found.fault);
  const { body, mediaType } = found;
  const maxBytes = reservation.maxBytes - reservation.used;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the body.
    if (size > maxBytes) return permanentFailure(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  reservation.used += size;
  return size === 0
    ? permanentFailure('it is empty')
    : { bytes: Buffer.concat(chunks), mediaType: parseMediaType(mediaType) };
}

function mediaTypeOf({ header }: Download): string {
  return parseMediaType(header('content-type'));
}

function parseMediaType(contentType = ''): string {
  const [type = ''] = contentType.split(';', 1);
  const normalized = type.trim().toLowerCase();
  return MEDIA_TYPE.test(normalized) ? normalized : UNKNOWN_TYPE;
}

function failureOf({ status, header }: Download): Failure | undefined {
  const encoding = header('content-encoding') ?? 'identity';
  if (status === 200) {
    if (encoding === 'identity') return undefined;
    return permanentFailure(
      `the server answered in the encoding ${encoding}, which was not requested`,
    );
  }
  const code = String(status);
  if (status >= 300 && status < 400) {
    return permanentFailure(`the server answered ${code}, and redirects are not followed`, code);
  }
  const isTransient = status >= 500 || [408, 425, 429].includes(status);
  const detail = `the server answered ${code}`;
  return isTransient ? transientFailure(detail, code) : permanentFailure(detail, code);
}

function permanentFailure(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  return { outcome: 'permanent', blame: 'content', detail, ...(code !== undefined && { code }) };
}

function transientFailure(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  const failure = { outcome: 'transient', maybeSent: false, detail, blame: 'content' } as const;
  return { ...failure, ...(code !== undefined && { code }) };
}
