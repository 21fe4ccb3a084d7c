import type { Downloaded, Failure } from '../channels/channel.ts';
import type { Download } from '../lib/download.ts';
import { FetchFault, FetchRefusal } from '../lib/fetch.ts';
import { MEDIA_TYPE } from '../lib/multipart.ts';
import type { OutgoingNetwork } from '../lib/outgoing.ts';
import type { Share } from '../lib/room.ts';

/** The largest file that is downloaded for a vendor that wants it uploaded, whatever the vendor would take. */
export const LARGEST_FILE = 32 * 1024 * 1024;

const ANYTHING = 'application/octet-stream';

/**
 * The files that one try needs. They are downloaded as a stranger would, whatever the operator trusts, since
 * their addresses are in the message. There is room for them as long as the try lasts: `close` gives it back.
 */
export class Files {
  readonly #network: OutgoingNetwork;
  readonly #signal: AbortSignal;
  readonly #shares: Share[] = [];

  constructor(network: OutgoingNetwork, signal: AbortSignal) {
    this.#network = network;
    this.#signal = signal;
  }

  async download(url: string, options: { most: number }): Promise<Downloaded | Failure> {
    const { room } = this.#network;
    const most = Math.min(options.most, LARGEST_FILE, room.size);
    try {
      // Not before there is room, since what has begun to come cannot be put off.
      const share = await room.take(most, this.#signal).catch(() => {
        throw new FetchFault('there was no room for the file in time', false);
      });
      this.#shares.push(share);
      const answer = await this.#network.download(url, undefined, { signal: this.#signal, most });
      const failure = failureOf(answer);
      if (failure) {
        answer.body.destroy();
        return failure;
      }
      const bytes = await read(answer, share);
      if (bytes.length === 0) return lost('it is empty');
      return { bytes, mediaType: mediaTypeOf(answer) };
    } catch (error) {
      if (error instanceof FetchRefusal) return lost(error.message);
      if (error instanceof FetchFault) return later(error.message);
      throw error;
    }
  }

  close(): void {
    for (const share of this.#shares.splice(0)) share.leave();
  }
}

async function read({ header, body }: Download, share: Share): Promise<Uint8Array> {
  const told = header('content-length');
  if (told !== undefined) share.shrink(Number(told));
  const bytes = Buffer.concat((await body.toArray()) as Uint8Array[]);
  share.shrink(bytes.length);
  return bytes;
}

function mediaTypeOf({ header }: Download): string {
  const [type = ''] = (header('content-type') ?? '').split(';', 1);
  const written = type.trim().toLowerCase();
  return MEDIA_TYPE.test(written) ? written : ANYTHING;
}

/** Why what was answered is not the file. */
function failureOf({ status, header }: Download): Failure | undefined {
  const encoding = header('content-encoding') ?? 'identity';
  if (status === 200) {
    if (encoding === 'identity') return undefined;
    return lost(`whoever has it answered in the encoding ${encoding}, which was not asked for`);
  }
  const code = String(status);
  if (status >= 300 && status < 400) {
    return lost(`whoever has it answered ${code}, and redirects are not followed`, code);
  }
  const mayPass = status >= 500 || [408, 425, 429].includes(status);
  const detail = `whoever has it answered ${code}`;
  return mayPass ? later(detail, code) : lost(detail, code);
}

function lost(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  return { outcome: 'permanent', blame: 'content', detail, ...(code !== undefined && { code }) };
}

function later(why: string, code?: string): Failure {
  const detail = `the file could not be downloaded: ${why}`;
  return { outcome: 'transient', perhapsSent: false, detail, ...(code !== undefined && { code }) };
}
