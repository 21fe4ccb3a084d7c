import type { Clock } from '../lib/runtime/clock.ts';
import { fileName } from '../lib/text/file-name.ts';
import type { MediaReference } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import { type MediaPlace, mediaPlaceAt } from '../model/media-place.ts';

/*
 * URLs of received and uploaded files. Their own URL requires the application's token. Vendors that fetch a
 * file get a signed URL, which needs no token and expires.
 */

const PURPOSE = 'media address';
const DAY_SECONDS = 24 * 60 * 60;
/** Longer than the retry schedule, and long enough for people who open a link days later. */
const LIFETIME_DAYS = 7;

export interface Signer {
  sign(purpose: string, text: string): string;
  isSigned(purpose: string, text: string, signature: string): boolean;
}

interface MediaUrlsOptions {
  clock: Clock;
  signer: Signer;
  /** The public base URL of the service, if configured. */
  publicUrl: string | undefined;
  /** The URL the service listens at. */
  listening(): string;
}

/** A signed URL, and the part of it to redact. */
export interface SignedUrl {
  signedUrl: string;
  signature: string;
  /** Unix time in seconds. */
  expires: number;
}

export class MediaUrls {
  readonly #options: MediaUrlsOptions;

  constructor(options: MediaUrlsOptions) {
    this.#options = options;
  }

  /** Whether vendors can fetch from this service. */
  get isPublic(): boolean {
    return this.#options.publicUrl !== undefined;
  }

  /** The file at a URL, if the URL is ours. */
  placeAt(url: string, applicationId: Id): MediaPlace | undefined {
    const { publicUrl, listening } = this.#options;
    const bases = publicUrl === undefined ? [listening()] : [publicUrl, listening()];
    return mediaPlaceAt(url, bases, applicationId);
  }

  /**
   * A URL that needs no token and works for at least seven days. It changes once a day, and ends with an
   * extension, since some vendors rely on it.
   */
  sign(place: MediaPlace, file: Pick<MediaReference, 'mediaType' | 'name'>): SignedUrl {
    const { signer } = this.#options;
    const unsigned = this.#unsigned(place, file);
    const signature = signer.sign(PURPOSE, unsigned.text);
    return this.#signedUrl(unsigned, signature);
  }

  /** The same URL for display, without a valid signature. */
  show(place: MediaPlace, file: Pick<MediaReference, 'mediaType' | 'name'>): SignedUrl {
    const { length } = this.sign(place, file).signature;
    return this.#signedUrl(this.#unsigned(place, file), 'x'.repeat(length));
  }

  /** Whether the signature is ours and has not expired. */
  isValid(place: MediaPlace, name: string, expires: string, signature: string): boolean {
    const { clock, signer } = this.#options;
    if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1000 <= clock.now()) return false;
    return signer.isSigned(PURPOSE, textOf(place, name, Number(expires)), signature);
  }

  #unsigned(place: MediaPlace, { mediaType = '', name = '' }: Partial<MediaReference>): Unsigned {
    const day = Math.floor(this.#options.clock.now() / 1000 / DAY_SECONDS);
    const expires = (day + 1 + LIFETIME_DAYS) * DAY_SECONDS;
    const [type = ''] = mediaType.toLowerCase().split(';', 1);
    const [extension = ''] = /\.[a-z0-9]{1,8}$/i.exec(name) ?? [];
    const safeName = fileName('', `file${extension.toLowerCase()}`, type.trim());
    return { place, safeName, expires, text: textOf(place, safeName, expires) };
  }

  #signedUrl({ place, safeName, expires }: Unsigned, signature: string): SignedUrl {
    const { publicUrl, listening } = this.#options;
    const path = `/1/media/${place.applicationId}/${pathIn(place)}/${safeName}`;
    const query = `expires=${expires}&signature=${signature}`;
    return { signedUrl: `${publicUrl ?? listening()}${path}?${query}`, signature, expires };
  }
}

interface Unsigned {
  place: MediaPlace;
  safeName: string;
  expires: number;
  text: string;
}

const pathIn = (place: MediaPlace): string =>
  'event' in place
    ? `${place.event}/${place.number}`
    : `conversations/${place.conversation}/${place.file}`;

function textOf(place: MediaPlace, name: string, expires: number): string {
  const { applicationId } = place;
  return JSON.stringify(
    'event' in place
      ? [applicationId, place.event, place.number, name, expires]
      : [applicationId, 'conversation', place.conversation, place.file, name, expires],
  );
}
