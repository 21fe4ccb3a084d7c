import { type Millis, parseDateTime } from './timestamp.ts';

/** The identifier of the Activity Streams 2.0 vocabulary. https://www.w3.org/TR/activitystreams-core/ */
export const ACTIVITY_STREAMS = 'https://www.w3.org/ns/activitystreams';

/** Prefix of the id of a button press on channels without ids for presses. Such an id cannot be replied to. */
export const PRESS = 'press:';

/** Activities may contain ids as strings or numbers. */
export type ActivityId = string | number | bigint;

export interface Actor {
  type: string;
  id?: ActivityId;
  name?: string;
}

export type ActivityType = 'Create' | 'Update' | 'Delete';

/** The object of an activity: the fields that Switchboard reads. */
export interface ActivityObject {
  type: string;
  id?: ActivityId;
  name?: string;
  summary?: string;
  content?: string;
  /** The type of a media file, or the markup of a note. */
  mediaType?: string;
  url?: string;
  /** The value that a button sends back when pressed. */
  value?: string;
  latitude?: number;
  longitude?: number;
  attachment?: readonly ActivityObject[];
  /** The items of a collection. */
  items?: readonly ActivityObject[];
  inReplyTo?: unknown;
  context?: unknown;
  preview?: unknown;
  /** The playing time of media. */
  duration?: unknown;
  icon?: unknown;
}

/** Limit of content with markup: parsing it can take time quadratic in its length. */
export const MAX_FORMATTED_LENGTH = 20_000;

/** The markup of a note's content; undefined for plain text. */
export function markupOf({
  type,
  mediaType = '',
}: ActivityObject): 'markdown' | 'html' | undefined {
  const [, markup] = /^\s*text\/(markdown|html)\s*(?:;|$)/i.exec(mediaType) ?? [];
  if (type !== 'Note' || markup === undefined) return undefined;
  return markup.toLowerCase() === 'html' ? 'html' : 'markdown';
}

/** An outbound activity: the fields that Switchboard reads. Other fields are stored unchanged. */
export interface Activity {
  '@context': unknown;
  type: ActivityType;
  generator: Actor;
  to: Actor & { id: ActivityId };
  object: ActivityObject;
  actor?: Actor;
  published?: number;
  context?: unknown;
  /** ISO 8601 time before which the message must not be sent. */
  startTime?: string;
  /** ISO 8601 time after which the message must not be sent. */
  endTime?: string;
}

/** When to send the activity. */
export function startOf({ startTime }: Activity): Millis | undefined {
  return startTime === undefined ? undefined : parseDateTime(startTime);
}

/** When the activity expires. */
export function endOf({ endTime }: Activity): Millis | undefined {
  return endTime === undefined ? undefined : parseDateTime(endTime);
}
