import type { Downloaded, Failure } from '../../channels/channel.ts';
import type { HttpClient } from '../../lib/http/client.ts';
import type { FoundFile } from '../../lib/http/download.ts';
import type { Id } from '../../model/id.ts';
import type { MediaPlace } from '../../model/media-place.ts';
import { Files } from './downloads.ts';
import type { ReceivedFiles } from './received-files.ts';

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

export interface MessageImagesOptions {
  network: HttpClient;
  received: Pick<ReceivedFiles, 'find' | 'fetch'>;
  /** The received file at a URL, if the URL is ours. */
  placeAt(url: string, applicationId: Id): MediaPlace | undefined;
}

/** Downloads images of messages for the console, within the limits of files to send. */
export class MessageImages {
  readonly #options: MessageImagesOptions;

  constructor(options: MessageImagesOptions) {
    this.#options = options;
  }

  async fetch(applicationId: Id, url: string, signal: AbortSignal): Promise<Downloaded | Failure> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const files = new Files(this.#options.network, limited, (address) => {
      const place = this.#options.placeAt(address, applicationId);
      return place && this.#receivedFile(applicationId, place, limited);
    });
    try {
      return await files.download(url, { maxBytes: MAX_IMAGE_BYTES });
    } finally {
      files.close();
    }
  }

  async #receivedFile(
    applicationId: Id,
    place: MediaPlace,
    signal: AbortSignal,
  ): Promise<FoundFile> {
    const { received } = this.#options;
    const reference =
      place.applicationId === applicationId ? await received.find(place) : undefined;
    if (!reference) return { fault: 'it does not exist', isGone: true };
    return received.fetch(applicationId, reference, signal);
  }
}
