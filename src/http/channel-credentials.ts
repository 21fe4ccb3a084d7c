import Type, { type Static } from 'typebox';

import { unknownChannel } from '../accept/unknown-channel.ts';
import { type Channel, type Check, missingCredentials } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import { cut } from '../lib/text/split.ts';
import { CREDENTIALS, type Credentials } from '../model/integration.ts';
import { isMaskOf } from './auth/masking.ts';

/* Result of a credential check: whether they are complete, and whether the channel accepts them. */

export const CheckSchema = Type.Object(
  {
    status: Type.Enum(['ok', 'refused', 'unreachable', 'incomplete', 'unknown'], {
      description:
        '`ok`: the channel accepts the credentials. `refused`: it rejects them. `unreachable`: no usable answer; try again. `incomplete`: credentials are missing. `unknown`: complete, but the channel offers no check.',
    }),
    missing: Type.Array(Type.String(), {
      description: 'Credential fields still missing.',
    }),
    detail: Type.String(),
  },
  { title: 'Check' },
);

const MAX_ACCOUNT_LENGTH = 100;

type CheckAnswer = Static<typeof CheckSchema>;

/** Finds a channel, or throws `unknown_channel`. */
export function knownChannel(name: string): Channel {
  const channel = findChannel(name);
  if (!channel) throw unknownChannel(name, '/name', true);
  return channel;
}

/** Applies a change: null clears a value; omitted values, and values sent back in masked form, stay. */
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

/** The account found by a successful check, in one short line; null if the channel gave no name. */
export function accountOf(check: Check | undefined): string | null {
  if (check?.outcome !== 'known') return null;
  const name = check.account === undefined ? check.as : (check.account ?? '');
  const line = name.replaceAll(/\p{Cc}+/gu, ' ').trim();
  return line === ''
    ? null
    : cut(line, { max: MAX_ACCOUNT_LENGTH, measure: ({ length }) => length });
}

/** The response for a check by the channel; `check` is undefined if the channel offers no check. */
export function checkAnswer(check: Check | undefined, name: string): CheckAnswer {
  const missing: string[] = [];
  if (!check) {
    const detail = `complete; ${name} offers no check, so only a message shows whether the credentials work`;
    return { status: 'unknown', missing, detail };
  }
  if (check.outcome === 'known') {
    return { status: 'ok', missing, detail: `${name} accepts the credentials of ${check.as}` };
  }
  return { status: statusOf(check), missing, detail: check.detail };
}

function statusOf(failure: Exclude<Check, { outcome: 'known' }>): CheckAnswer['status'] {
  if (failure.outcome !== 'permanent') return 'unreachable';
  return failure.blame === 'unsupported' ? 'unknown' : 'refused';
}
