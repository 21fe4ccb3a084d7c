import { findChannel } from '../channels/index.ts';
import { serveIsolated } from '../lib/threads/isolated-thread.ts';
import type { Activity } from '../model/activity.ts';
import { type Plan, makePlan } from './plan.ts';
import type { RenderContext } from './render-context.ts';

/* The thread that plans long messages. */

export interface PlanRequest {
  activity: Activity;
  channel: string;
  context: RenderContext;
}

serveIsolated({ answer: planFor });

function planFor({ activity, channel: name, context }: PlanRequest): Plan {
  const channel = findChannel(name);
  if (!channel) throw new Error(`unknown channel ${name}`);
  const { steps, degradations, texts } = makePlan(activity, channel, context);
  return { steps, degradations: [...degradations], texts };
}
