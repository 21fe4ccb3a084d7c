import type { Activity } from '../model/activity.ts';

/** An activity to be sent, as it was parsed and as it was written. */
export interface Draft {
  activity: Activity;
  text: string;
  /** Leads to the activity within the request. */
  pointer: string;
}
