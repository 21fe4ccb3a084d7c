import type { Channel, Wire } from '../channels/channel.ts';
import type { RichText } from '../lib/rich-text/rich-text.ts';
import type { Activity } from '../model/activity.ts';
import type { Credentials } from '../model/integration.ts';
import { Composer, type Composition } from './composer.ts';
import { readContent } from './content.ts';
import type { Loss } from './degradations.ts';
import { type Resolved, referencesOf } from './references.ts';

/*
 * The steps in which a channel sends a message, usually one request each. An activity always yields the same steps,
 * since a retry continues after the completed ones.
 */
export type Step =
  | { does: 'send'; wire: Wire }
  | { does: 'edit'; id: string; wire: Wire }
  | { does: 'remove'; id: string };

export interface Plan {
  /** Empty when the channel can do nothing. */
  steps: Step[];
  losses: readonly Loss[];
  /** The texts to send, before they are rendered for the channel. */
  texts: readonly RichText[];
}

/** The inputs of a plan besides the activity. */
export interface Circumstances {
  recipient: string;
  credentials: Credentials;
  /** The referenced earlier messages that are ours. */
  earlier?: Resolved;
  /** The addresses of received files in it. */
  received?: readonly string[];
  /** Whether its files come from the message that it edits. */
  keepsFiles?: boolean;
}

export function makePlan(activity: Activity, channel: Channel, given: Circumstances): Plan {
  const ids = given.earlier?.changed ?? [];
  if (activity.type === 'Delete') {
    return { steps: ids.map((id) => ({ does: 'remove', id })), losses: [], texts: [] };
  }
  const { wires, ...said } = composeAll(activity, channel, given);
  if (activity.type === 'Create') return { steps: wires.map(toSend), ...said };
  // Sending the message again would not be an edit.
  if (ids.length === 0 && channel.forms !== 'whole') return { steps: [], ...said };
  const steps: Step[] = wires.map((wire, i) => {
    const id = ids[i];
    return id === undefined ? toSend(wire) : { does: 'edit', id, wire };
  });
  // Deletes surplus parts of the earlier message, where the channel can.
  const rest = channel.remove ? ids.slice(wires.length) : [];
  return { steps: [...steps, ...rest.map((id) => ({ does: 'remove' as const, id }))], ...said };
}

const toSend = (wire: Wire): Step => ({ does: 'send', wire });

function composeAll(activity: Activity, channel: Channel, given: Circumstances): Composition {
  const { forms } = channel;
  if (!forms) return { wires: [], losses: [], texts: [] };
  if (forms === 'whole') return { wires: [{ body: { ...activity } }], losses: [], texts: [] };
  const references = referencesOf(activity);
  return new Composer(channel, forms, given, readContent(activity), references).compose();
}
