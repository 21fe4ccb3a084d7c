import type { Channel, Wire } from '../channels/channel.ts';
import type { RichText } from '../lib/rich-text.ts';
import type { Activity } from '../model/activity.ts';
import type { Credentials } from '../model/integration.ts';
import { Composer, type Composition } from './composer.ts';
import { readContent } from './content.ts';
import type { Loss } from './losses.ts';
import { type Resolved, referencesOf } from './references.ts';

/*
 * How a message goes out through a channel: step by step, each of which is one request or the like. The same
 * activity makes the same steps each time, since a retry goes on behind those that are done.
 */
export type Step =
  | { does: 'send'; wire: Wire }
  | { does: 'edit'; id: string; wire: Wire }
  | { does: 'remove'; id: string };

export interface Plan {
  /** None when there is nothing that could be done. */
  steps: Step[];
  losses: readonly Loss[];
  /** The texts that go out, as they were before they were written for the channel. */
  texts: readonly RichText[];
}

/** What a plan depends on besides the activity. */
export interface Circumstances {
  recipient: string;
  credentials: Credentials;
  /** The earlier messages that it is about, where they are ours. */
  earlier?: Resolved;
  /** The addresses of files in it that somebody sent to us. */
  received?: readonly string[];
  /** Whether its files are those of the message that it changes. */
  keepsFiles?: boolean;
}

export function makePlan(activity: Activity, channel: Channel, given: Circumstances): Plan {
  const ids = given.earlier?.changed ?? [];
  if (activity.type === 'Delete') {
    return { steps: ids.map((id) => ({ does: 'remove', id })), losses: [], texts: [] };
  }
  const { wires, ...said } = composeAll(activity, channel, given);
  if (activity.type === 'Create') return { steps: wires.map(toSend), ...said };
  // Sending it once more would be no change.
  if (ids.length === 0 && channel.forms !== 'whole') return { steps: [], ...said };
  const steps: Step[] = wires.map((wire, i) => {
    const id = ids[i];
    return id === undefined ? toSend(wire) : { does: 'edit', id, wire };
  });
  // What is too much of the earlier message goes, where the channel can take it back.
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
