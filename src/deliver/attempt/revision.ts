import type { Channel } from '../../channels/channel.ts';
import { withCurrentMedia } from '../../compose/current-media.ts';
import { withContent, withObjectOf } from '../../compose/templated.ts';
import { parseJson } from '../../lib/json/parse-json.ts';
import type { Activity } from '../../model/activity.ts';
import type { Message } from '../../model/message.ts';
import { readInstructions } from '../../model/sending/instructions.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Store } from '../../store/store.ts';

/** The message with the content of its last update, if this route started after it. */
export async function withRevision(
  message: ClaimedMessage,
  channel: Channel,
  store: Store,
): Promise<ClaimedMessage> {
  const { applicationId, instructions } = message;
  if ((message.route ?? null) === null || instructions === null) return message;
  const { revisedBy = [] } = readInstructions(instructions);
  if (revisedBy.length === 0) return message;
  const updates = (await store.messages.getAll(applicationId, revisedBy)).map(contentOf);
  const [newest, ...before] = updates.toReversed();
  if (newest === undefined) return message;
  const earlier = [...before, message.activity];
  const update = parseJson(newest) as Activity;
  const { activity } = await withCurrentMedia(update, channel, () => Promise.resolve(earlier));
  const { attachment } = activity.object;
  return { ...message, activity: withObjectOf(message.activity, newest, attachment) };
}

/** The activity of an update, with the content of its template. */
function contentOf({ activity, instructions }: Pick<Message, 'activity' | 'instructions'>): string {
  const { template } = readInstructions(instructions);
  return template && template.source !== 'vendor'
    ? withContent(activity, template.object)
    : activity;
}
