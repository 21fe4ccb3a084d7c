import type { Channel } from '../channels/channel.ts';
import { parseJson } from '../lib/json/parse-json.ts';
import type { Activity, ActivityObject } from '../model/activity.ts';

/*
 * Updating a message that has files with a Note changes its text, as users edit captions, and keeps the files. To
 * remove them, the Note has an empty `attachment`.
 */

const MEDIA: ReadonlySet<string> = new Set(['Image', 'Video', 'Audio', 'Document']);

/** Whether the update may keep files. */
function keepsMedia({ type, object }: Activity): boolean {
  return type === 'Update' && object.type === 'Note' && object.attachment === undefined;
}

/** The current files of a message, from the activities that created and updated it, newest first. */
function currentMedia(activities: readonly Activity[]): readonly ActivityObject[] {
  const last = activities.find((activity) => !keepsMedia(activity));
  return last ? mediaOf(last.object) : [];
}

function mediaOf(object: ActivityObject): ActivityObject[] {
  const { attachment = [] } = object;
  const self = MEDIA.has(object.type) ? [withoutText(object)] : [];
  return [...self, ...attachment.filter(({ type }) => MEDIA.has(type)).map(withoutText)];
}

/** The Note replaces the caption. */
function withoutText({ type, url, mediaType, name, preview, icon, duration }: ActivityObject) {
  const kept = { url, mediaType, name, preview, icon, duration };
  const defined = Object.entries(kept).filter(([, value]) => value !== undefined);
  return { type, ...Object.fromEntries(defined) } as ActivityObject;
}

/** The activity with the files that stay; `activities` returns the earlier activities as JSON, newest first. */
export async function withCurrentMedia(
  activity: Activity,
  channel: Pick<Channel, 'renderers'>,
  activities: (name: string) => Promise<readonly string[]>,
): Promise<{ activity: Activity; keepsFiles: boolean }> {
  if (channel.renderers === 'whole' || !keepsMedia(activity))
    return { activity, keepsFiles: false };
  const before = await activities(String(activity.object.id));
  const media = currentMedia(before.map((json) => parseJson(json) as Activity));
  return { activity: withMedia(activity, media), keepsFiles: media.length > 0 };
}

function withMedia(activity: Activity, media: readonly ActivityObject[]): Activity {
  if (media.length === 0) return activity;
  return { ...activity, object: { ...activity.object, attachment: media } };
}
