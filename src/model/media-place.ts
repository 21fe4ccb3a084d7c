import { type Id, parseId } from './id.ts';

/** A received file: its number in an event of an application's feed. */
export interface MediaPlace {
  applicationId: Id;
  event: number;
  number: number;
}

const PATH = /\/1\/events\/(\d{1,15})\/media\/(\d{1,4})\/?$/;

/**
 * The received file at a URL below one of these bases, in the form the feed uses. A URL without an application belongs to
 * `applicationId`.
 */
export function mediaPlaceAt(
  url: string,
  bases: readonly string[],
  applicationId: Id,
): MediaPlace | undefined {
  const [path, event, number] = PATH.exec(URL.parse(url)?.pathname ?? '') ?? [];
  if (path === undefined) return undefined;
  const { origin, pathname, searchParams } = new URL(url);
  const base = origin + pathname.slice(0, -path.length);
  if (!bases.some((one) => isSameBase(one, base))) return undefined;
  const owner = searchParams.get('application');
  return {
    applicationId: owner === null ? applicationId : (parseId(owner) ?? 0),
    event: Number(event),
    number: Number(number),
  };
}

function isSameBase(one: string, other: string): boolean {
  return one === other || withoutLoopback(one) === withoutLoopback(other);
}

/** Loopback has several names. */
function withoutLoopback(base: string): string {
  return base.replace(/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost');
}
