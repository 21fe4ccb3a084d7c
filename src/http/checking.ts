import Type, { type Static } from 'typebox';

import { unknownChannel } from '../accept/unknown-channel.ts';
import { type Channel, type Check, missingCredentials } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import { CREDENTIALS, type Credentials } from '../model/integration.ts';
import { isMaskOf } from './masking.ts';

/* What is said of credentials: whether they are complete, and whether the channel takes them. */

export const CheckSchema = Type.Object(
  {
    status: Type.Enum(['ok', 'refused', 'unreachable', 'incomplete', 'unknown'], {
      description:
        '`ok`: the channel knows us. `refused`: it does not take the credentials. `unreachable`: it gave no useful answer; try again. `incomplete`: credentials are missing. `unknown`: nothing is missing, and the channel cannot be asked.',
    }),
    missing: Type.Array(Type.String(), {
      description: 'The fields that are still to be supplied.',
    }),
    detail: Type.String(),
  },
  { title: 'Check' },
);

type CheckAnswer = Static<typeof CheckSchema>;

/** The channel of that name, or throws `unknown_channel`. */
export function knownChannel(name: string): Channel {
  const channel = findChannel(name);
  if (!channel) throw unknownChannel(name, '/name', true);
  return channel;
}

/** What is given replaces, null clears, what is left out stays; and so does what comes back as it was shown. */
export function changedCredentials(
  current: Credentials,
  change: { [Name in keyof Credentials]?: string | null | undefined },
): Credentials {
  const changed = { ...current };
  for (const name of CREDENTIALS) {
    const value = change[name];
    if (value === null || value === '') delete changed[name];
    else if (value !== undefined && !isMaskOf(value, current[name])) changed[name] = value;
  }
  return changed;
}

/** Undefined when nothing is missing. */
export function missingFrom(
  name: string,
  channel: Channel | undefined,
  credentials: Credentials,
): CheckAnswer | undefined {
  const supplied = CREDENTIALS.filter((field) => credentials[field] !== undefined);
  const missing = channel ? missingCredentials(channel, supplied) : [];
  if (missing.length === 0) return undefined;
  return { status: 'incomplete', missing, detail: `${name} needs ${missing.join(', ')} to send` };
}

/** What the channel has answered, if it could be asked. */
export function answered(check: Check | undefined, name: string): CheckAnswer {
  const missing: string[] = [];
  if (!check) {
    const detail = `nothing is missing; whether ${name} accepts it shows when a message is sent`;
    return { status: 'unknown', missing, detail };
  }
  if (check.outcome === 'known') {
    return { status: 'ok', missing, detail: `${name} knows us as ${check.as}` };
  }
  const status = check.outcome === 'permanent' ? 'refused' : 'unreachable';
  return { status, missing, detail: check.detail };
}
