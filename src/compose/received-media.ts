import type { VendorRequest } from '../channels/channel.ts';
import type { Activity } from '../model/activity.ts';
import type { MediaReference } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { MediaPlace } from '../model/media-place.ts';
import type { MediaUrls, SignedUrl } from './media-urls.ts';
import type { Step } from './plan.ts';

/*
 * Received and uploaded files in outgoing messages. Their URLs require the application's token, which no vendor
 * has, so each is replaced by a signed URL before the message is planned. The downloader recognizes such a file by
 * that URL.
 */

/** Maximum number of received files in one message. */
const MAX_RECEIVED_FILES = 50;

/** A received file in an outgoing message. */
export interface ReceivedFile extends SignedUrl {
  /** The URL as the application wrote it. */
  url: string;
  reference: MediaReference;
}

/** A message whose received files were looked up. */
export interface WithMedia {
  activity: Activity;
  /** The same as JSON. */
  text: string;
  files: readonly ReceivedFile[];
  /** URLs of this service at which the application has no file. */
  missing: readonly string[];
}

export interface MediaLookup {
  urls: MediaUrls;
  /** Finds the file; undefined if it does not exist. */
  find(place: MediaPlace): Promise<MediaReference | undefined>;
  /** Whether the URLs are for display only. */
  isShown?: boolean;
}

const MAY_HAVE = /media\\?\/\d|files\\?\/[\w-]{22}/;

/** Whether a message may contain such a file; most do not, and skip the full search. */
export function mayHaveMedia(text: string): boolean {
  return MAY_HAVE.test(text);
}

/** Object members that hold the URL of a file. */
const URL_MEMBERS: ReadonlySet<string> = new Set(['url', 'preview', 'icon']);

/** Finds the received files of a message and replaces their URLs with signed ones. */
export async function withMedia(
  message: { activity: Activity; text: string },
  applicationId: Id,
  { urls, find, isShown = false }: MediaLookup,
): Promise<WithMedia> {
  const none = { ...message, files: [], missing: [] };
  const places = new Map<string, MediaPlace & { type: string }>();
  eachUrl(message.activity.object, (url, type) => {
    const place = urls.placeAt(url, applicationId);
    if (place && !places.has(url)) places.set(url, { ...place, type });
  });
  const files = new Map<string, ReceivedFile>();
  const missing: string[] = [];
  for (const [url, { type, ...place }] of places) {
    const isOwn = place.applicationId === applicationId && files.size < MAX_RECEIVED_FILES;
    const reference = isOwn ? await find(place) : undefined;
    if (!reference) missing.push(url);
    else {
      const file = { ...(LIKELY_TYPES[type] && { mediaType: LIKELY_TYPES[type] }), ...reference };
      const signed = isShown ? urls.show(place, file) : urls.sign(place, file);
      files.set(url, { ...signed, url, reference });
    }
  }
  if (files.size === 0) return { ...none, missing };
  const activity = {
    ...message.activity,
    object: withSignedUrls(message.activity.object, files),
  };
  return {
    activity: activity as Activity,
    text: signUrlsInText(message.text, files),
    files: [...files.values()],
    missing,
  };
}

/**
 * The likely media type of files whose channel did not declare one, for vendors that rely on the extension in a URL.
 */
const LIKELY_TYPES: Readonly<Record<string, string>> = { Image: 'image/jpeg', Video: 'video/mp4' };

/** Visits each URL, with the type of its object. */
function eachUrl(
  value: unknown,
  visit: (url: string, type: string) => void,
  member = '',
  type = '',
): void {
  if (typeof value === 'string') {
    if (URL_MEMBERS.has(member)) visit(value, type);
  } else if (Array.isArray(value)) {
    for (const each of value) eachUrl(each, visit, member, type);
  } else if (typeof value === 'object' && value !== null) {
    const objectType = 'type' in value && typeof value.type === 'string' ? value.type : '';
    for (const [name, each] of Object.entries(value)) eachUrl(each, visit, name, objectType);
  }
}

function withSignedUrls(
  value: unknown,
  files: ReadonlyMap<string, ReceivedFile>,
  member = '',
): unknown {
  if (typeof value === 'string') {
    const file = URL_MEMBERS.has(member) ? files.get(value) : undefined;
    return file?.signedUrl ?? value;
  }
  if (Array.isArray(value)) return value.map((each) => withSignedUrls(each, files, member));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    withSignedUrls(each, files, name),
  ]);
  return { ...channelFields(value, files), ...Object.fromEntries(entries) };
}

/** The file properties that the channel provided, so that the application need not repeat them. */
function channelFields(value: object, files: ReadonlyMap<string, ReceivedFile>): object {
  const file = 'url' in value && typeof value.url === 'string' ? files.get(value.url) : undefined;
  if (!file || !('type' in value) || value.type === 'Link' || value.type === 'Button') return {};
  const { mediaType, name } = file.reference;
  return { ...(mediaType && { mediaType }), ...(name && { name }) };
}

/** Matches members only: quotes inside a text are escaped. */
const MEMBER = /"(?:url|preview|icon)"\s*:\s*("(?:[^"\\]|\\.)*")/g;

function signUrlsInText(text: string, files: ReadonlyMap<string, ReceivedFile>): string {
  return text.replaceAll(MEMBER, (member, literal: string) => {
    const file = files.get(JSON.parse(literal) as string);
    return file ? member.slice(0, -literal.length) + JSON.stringify(file.signedUrl) : member;
  });
}

/** How the vendor gets a received file: we upload it, or the vendor fetches its signed URL. */
type MediaTransfer = 'upload' | 'address';

export function transferOf(step: Step, { signedUrl }: ReceivedFile): MediaTransfer | undefined {
  if (step.does === 'remove') return undefined;
  const { request } = step;
  if (isUploaded(request, signedUrl)) return 'upload';
  return holds(request.body, signedUrl) ? 'address' : undefined;
}

function isUploaded({ file, attachments = [] }: VendorRequest, signedUrl: string): boolean {
  const isFile = file?.url === signedUrl && !file.isMeasured && !file.isKept;
  return isFile || attachments.some(({ url }) => url === signedUrl);
}

/** Compares up to the query, since markup escapes a character in it. */
function holds(body: VendorRequest['body'], signedUrl: string): boolean {
  return JSON.stringify(body).includes(signedUrl.slice(0, signedUrl.indexOf('?')));
}

/** Whether the vendor would have to fetch a file from this service. */
export function isFetched(steps: readonly Step[], files: readonly ReceivedFile[]): boolean {
  return steps.some((step) => files.some((file) => transferOf(step, file) === 'address'));
}
