import type { Activity } from '../model/activity.ts';

/** An activity to send, parsed and as received. */
export interface Draft {
  activity: Activity;
  text: string;
  /** Location of the activity in the request. */
  pointer: string;
}
