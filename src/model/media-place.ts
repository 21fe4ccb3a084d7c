import { type Id, parseId } from './id.ts';

/** A file that somebody sent: the one of that number of an event in the feed of an application. */
export interface MediaPlace {
  applicationId: Id;
  event: number;
  number: number;
}

const PATH = /\/1\/events\/(\d{1,15})\/media\/(\d{1,4})\/?$/;

/**
 * The received file that is at an address below one of these, as the feed tells addresses. Those from before addresses
 * said whose they are belong to `applicationId`.
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

/** The machine itself has several names. */
function withoutLoopback(base: string): string {
  return base.replace(/^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/, 'http://localhost');
}
