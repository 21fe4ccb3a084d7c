import type { Channel } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import { IsolatedThread } from '../lib/threads/isolated-thread.ts';
import type { Activity } from '../model/activity.ts';
import type { PlanRequest } from './plan-worker.ts';
import { type Plan, makePlan } from './plan.ts';
import type { RenderContext } from './render-context.ts';

/* Long messages are planned in a separate thread: parsing 256 kB of Markdown can take more than a second. */

/** Maximum text length planned on the main thread: no markup of this length takes 50 ms. */
export const MAX_TEXT_ON_MAIN_THREAD = 1_000;
const OBJECT_LENGTH = 100;
const PLAN_TIMEOUT_MS = 30_000;
const PLAN_HEAP_MB = 128;

const thread = new IsolatedThread<PlanRequest, Plan>(new URL('./plan-worker.ts', import.meta.url), {
  timeoutMs: PLAN_TIMEOUT_MS,
  heapMb: PLAN_HEAP_MB,
});

/** Like `makePlan`; rejects with an IsolationError if a long message exceeds a limit. */
export async function planSafely(
  activity: Activity,
  channel: Channel,
  context: RenderContext,
): Promise<Plan> {
  // The thread finds channels by name, so it does not know channels that a test defined.
  const isShort = textLength(activity.object) <= MAX_TEXT_ON_MAIN_THREAD;
  if (isShort || channel.renderers === 'whole' || findChannel(channel.name) !== channel) {
    return makePlan(activity, channel, context);
  }
  return thread.run({ activity, channel: channel.name, context });
}

/** Each object counts, since each may become a part. */
function textLength({ content = '', items = [], attachment = [] }: Activity['object']): number {
  let length = OBJECT_LENGTH + content.length;
  for (const inner of [...items, ...attachment]) length += textLength(inner);
  return length;
}
