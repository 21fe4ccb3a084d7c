import type { Channel, VendorRequest } from '../channels/channel.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { Activity } from '../model/activity.ts';
import { Composer, type Composition, type RenderContext } from './composer.ts';
import { readContent } from './content.ts';
import type { Degradation } from './degradations.ts';
import { referencesOf } from './references.ts';

/*
 * The steps in which a channel sends a message, usually one request each. An activity always yields the same steps,
 * since a retry continues after the completed ones.
 */
export type Step =
  | { does: 'send'; request: VendorRequest }
  | { does: 'edit'; id: string; request: VendorRequest }
  | { does: 'remove'; id: string };

export interface Plan {
  /** Empty if there is nothing to send. */
  steps: Step[];
  degradations: readonly Degradation[];
  /** The texts to send, before they are rendered for the channel. */
  texts: readonly RichText[];
}

export function makePlan(activity: Activity, channel: Channel, context: RenderContext): Plan {
  const ids = context.earlier?.changed ?? [];
  if (activity.type === 'Delete') {
    return { steps: ids.map((id) => ({ does: 'remove', id })), degradations: [], texts: [] };
  }
  const { requests, ...rendered } = composeAll(activity, channel, context);
  if (activity.type === 'Create') return { steps: requests.map(toSend), ...rendered };
  // Sending the message again would not be an edit.
  if (ids.length === 0 && channel.renderers !== 'whole') return { steps: [], ...rendered };
  const steps: Step[] = requests.map((request, i) => {
    const id = ids[i];
    return id === undefined ? toSend(request) : { does: 'edit', id, request };
  });
  // Deletes surplus parts of the earlier message, where the channel can.
  const rest = channel.remove ? ids.slice(requests.length) : [];
  return { steps: [...steps, ...rest.map((id) => ({ does: 'remove' as const, id }))], ...rendered };
}

const toSend = (request: VendorRequest): Step => ({ does: 'send', request });

function composeAll(activity: Activity, channel: Channel, context: RenderContext): Composition {
  const { renderers } = channel;
  if (!renderers) return { requests: [], degradations: [], texts: [] };
  if (renderers === 'whole')
    return { requests: [{ body: { ...activity } }], degradations: [], texts: [] };
  const references = referencesOf(activity);
  return new Composer(channel, renderers, context, readContent(activity), references).compose();
}
