import type { Channel, VendorRequest } from '../channels/channel.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { Activity } from '../model/activity.ts';
import type { SentPart } from '../model/sending/sent-part.ts';
import { Composer, type Composition } from './composer.ts';
import { readContent } from './content.ts';
import type { Degradation } from './degradations.ts';
import { referencesOf } from './references.ts';
import type { RenderContext } from './render-context.ts';

/*
 * The steps in which a channel sends a message, usually one request each. An activity always yields the same steps,
 * since a retry continues after the completed ones.
 */
export type Step =
  | { does: 'send'; request: VendorRequest }
  | ({ does: 'edit'; request: VendorRequest } & SentPart)
  | ({ does: 'remove' } & SentPart);

export interface Plan {
  /** Empty if there is nothing to send. */
  steps: Step[];
  degradations: readonly Degradation[];
  /** The texts to send, before they are rendered for the channel. */
  texts: readonly RichText[];
}

export function makePlan(activity: Activity, channel: Channel, context: RenderContext): Plan {
  const sent = context.earlier?.changed ?? [];
  if (activity.type === 'Delete') {
    return {
      steps: sent.map(toRemoval),
      degradations: [],
      texts: [],
    };
  }
  const { requests, ...rendered } = composeAll(activity, channel, context);
  if (activity.type === 'Create') return { steps: requests.map(toSend), ...rendered };
  // Sending the message again would not be an edit.
  if (sent.length === 0 && channel.renderers !== 'whole') return { steps: [], ...rendered };
  const steps: Step[] = requests.map((request, i) => {
    const part = sent[i];
    return part ? { does: 'edit', ...part, request } : toSend(request);
  });
  // Deletes surplus parts of the earlier message, where the channel can.
  const rest = channel.remove ? sent.slice(requests.length) : [];
  return {
    steps: [...steps, ...rest.map(toRemoval)],
    ...rendered,
  };
}

const toSend = (request: VendorRequest): Step => ({ does: 'send', request });
const toRemoval = (part: SentPart): Step => ({ does: 'remove', ...part });

function composeAll(activity: Activity, channel: Channel, context: RenderContext): Composition {
  const { renderers } = channel;
  if (!renderers) return { requests: [], degradations: [], texts: [] };
  if (renderers === 'whole')
    return { requests: [{ body: { ...activity } }], degradations: [], texts: [] };
  const references = referencesOf(activity);
  return new Composer(channel, renderers, context, readContent(activity), references).compose();
}
