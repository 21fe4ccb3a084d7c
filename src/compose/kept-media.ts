import type { Channel } from '../channels/channel.ts';
import { parseJson } from '../lib/json.ts';
import type { Activity, ActivityObject } from '../model/activity.ts';

/*
 * A Note in the place of a message with files changes its text, as people edit captions; the files stay. To take them
 * away, the Note says that it has none: `attachment` is empty.
 */

const MEDIA: ReadonlySet<string> = new Set(['Image', 'Video', 'Audio', 'Document']);

/** Whether it may be that files stay. */
function keepsMedia({ type, object }: Activity): boolean {
  return type === 'Update' && object.type === 'Note' && object.attachment === undefined;
}

/** The files of a message as it stands, by the activities that made it so, the last one first. */
function standingMedia(activities: readonly Activity[]): readonly ActivityObject[] {
  const last = activities.find((activity) => !keepsMedia(activity));
  return last ? mediaOf(last.object) : [];
}

function mediaOf(object: ActivityObject): ActivityObject[] {
  const { attachment = [] } = object;
  const own = MEDIA.has(object.type) ? [withoutText(object)] : [];
  return [...own, ...attachment.filter(({ type }) => MEDIA.has(type)).map(withoutText)];
}

/** The Note says what stands below it now. */
function withoutText({ type, url, mediaType, name, preview, icon, duration }: ActivityObject) {
  const known = { url, mediaType, name, preview, icon, duration };
  const said = Object.entries(known).filter(([, value]) => value !== undefined);
  return { type, ...Object.fromEntries(said) } as ActivityObject;
}

/** The activity with the files that stay; `activities` answers those before it, as JSON, the last one first. */
export async function withStanding(
  activity: Activity,
  channel: Pick<Channel, 'forms'>,
  activities: (name: string) => Promise<readonly string[]>,
): Promise<{ activity: Activity; keepsFiles: boolean }> {
  if (channel.forms === 'whole' || !keepsMedia(activity)) return { activity, keepsFiles: false };
  const before = await activities(String(activity.object.id));
  const media = standingMedia(before.map((json) => parseJson(json) as Activity));
  return { activity: withKept(activity, media), keepsFiles: media.length > 0 };
}

function withKept(activity: Activity, media: readonly ActivityObject[]): Activity {
  if (media.length === 0) return activity;
  return { ...activity, object: { ...activity.object, attachment: media } };
}
