import { findChannel } from '../channels/index.ts';
import { serveIsolated } from '../lib/threads/isolated-thread.ts';
import type { Activity } from '../model/activity.ts';
import type { RenderContext } from './composer.ts';
import { type Plan, makePlan } from './plan.ts';

/* The thread that plans long messages. */

export interface PlanRequest {
  activity: Activity;
  channel: string;
  given: RenderContext;
}

serveIsolated({ answer: planFor });

function planFor({ activity, channel: name, given }: PlanRequest): Plan {
  const channel = findChannel(name);
  if (!channel) throw new Error(`there is no channel ${name}`);
  const { steps, degradations, texts } = makePlan(activity, channel, given);
  return { steps, degradations: [...degradations], texts };
}
