/** The identifier of the Activity Streams 2.0 vocabulary. https://www.w3.org/TR/activitystreams-core/ */
export const ACTIVITY_STREAMS = 'https://www.w3.org/ns/activitystreams';

/** Ids in an activity may be written as strings or as numbers. */
export type ActivityId = string | number | bigint;

export interface Actor {
  type: string;
  id?: ActivityId;
  name?: string;
}

/** An outgoing activity, as far as we read it; what else it holds is kept and not looked at. */
export interface Activity {
  '@context': unknown;
  type: string;
  generator: Actor;
  to: Actor & { id: ActivityId };
  object: { type: string; id?: ActivityId; content?: string; [property: string]: unknown };
  actor?: Actor;
  published?: number;
  /** When it is not worth sending any more, as ISO 8601 writes it. */
  endTime?: string;
  [property: string]: unknown;
}
