import { type Id, parseId } from './id.ts';

/** A received file: its number in an event of an application's feed. */
export interface ReceivedPlace {
  applicationId: Id;
  event: number;
  number: number;
}

/** A file that the application uploaded to a conversation. */
export interface UploadedPlace {
  applicationId: Id;
  conversation: Id;
  file: string;
}

export type MediaPlace = ReceivedPlace | UploadedPlace;

const RECEIVED = /\/1\/events\/(\d{1,15})\/media\/(\d{1,4})\/?$/;
const UPLOADED = /\/1\/conversations\/(\d{1,15})\/files\/([\w-]{22})\/?$/;

/**
 * The file at a URL below one of these bases, in the form the feed and uploads use. A URL without an application belongs
 * to `applicationId`.
 */
export function mediaPlaceAt(
  url: string,
  bases: readonly string[],
  applicationId: Id,
): MediaPlace | undefined {
  const address = URL.parse(url);
  const { origin = '', pathname = '' } = address ?? {};
  const received = RECEIVED.exec(pathname);
  const [path, first, second = ''] = received ?? UPLOADED.exec(pathname) ?? [];
  if (path === undefined) return undefined;
  const base = origin + pathname.slice(0, -path.length);
  if (!bases.some((one) => isSameBase(one, base))) return undefined;
  const owner = address?.searchParams.get('application') ?? null;
  const place = { applicationId: owner === null ? applicationId : (parseId(owner) ?? 0) };
  return received
    ? { ...place, event: Number(first), number: Number(second) }
    : { ...place, conversation: Number(first), file: second };
}

function isSameBase(one: string, other: string): boolean {
  return one === other || withoutLoopback(one) === withoutLoopback(other);
}

/** Loopback has several names. */
function withoutLoopback(base: string): string {
  return base.replace(/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost');
}
