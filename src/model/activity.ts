/** The identifier of the Activity Streams 2.0 vocabulary. https://www.w3.org/TR/activitystreams-core/ */
export const ACTIVITY_STREAMS = 'https://www.w3.org/ns/activitystreams';

/** What the id of a pressed button begins with, where the channel has none: it is no message to reply to. */
export const PRESS = 'press:';

/** Ids in an activity may be written as strings or as numbers. */
export type ActivityId = string | number | bigint;

export interface Actor {
  type: string;
  id?: ActivityId;
  name?: string;
}

/** What is done to the object. */
export type ActivityType = 'Create' | 'Update' | 'Delete';

/** What an activity is about, as far as we read it. */
export interface ActivityObject {
  type: string;
  id?: ActivityId;
  name?: string;
  summary?: string;
  content?: string;
  /** Of media, what they are; of a note, how its content is written. */
  mediaType?: string;
  url?: string;
  /** Of a button, what comes back when it is pressed. */
  value?: string;
  latitude?: number;
  longitude?: number;
  attachment?: readonly ActivityObject[];
  /** Those of a collection. */
  items?: readonly ActivityObject[];
  inReplyTo?: unknown;
  context?: unknown;
  preview?: unknown;
  /** Of media, how long they play. */
  duration?: unknown;
  icon?: unknown;
}

/** How the content of a note is written, where it is not plain. */
export function markupOf({
  type,
  mediaType = '',
}: ActivityObject): 'markdown' | 'html' | undefined {
  const [, markup] = /^\s*text\/(markdown|html)\s*(?:;|$)/i.exec(mediaType) ?? [];
  if (type !== 'Note' || markup === undefined) return undefined;
  return markup.toLowerCase() === 'html' ? 'html' : 'markdown';
}

/** An outgoing activity, as far as we read it; what else it holds is kept and not looked at. */
export interface Activity {
  '@context': unknown;
  type: ActivityType;
  generator: Actor;
  to: Actor & { id: ActivityId };
  object: ActivityObject;
  actor?: Actor;
  published?: number;
  context?: unknown;
  /** When it is not worth sending any more, as ISO 8601 writes it. */
  endTime?: string;
}
