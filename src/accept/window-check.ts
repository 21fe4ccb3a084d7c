import type { WindowState } from '../channels/window.ts';
import { currentWindow, isWindowClosed } from '../compose/current-window.ts';
import type { Id } from '../model/id.ts';
import { Problem } from '../model/problem.ts';
import type { Instructions } from '../model/sending/instructions.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import { afterConsent } from './consent/consent.ts';
import type { Draft } from './draft.ts';
import { optionsOf } from './options.ts';
import type { Candidate } from './routing.ts';

/** Whether the vendor accepts free text to the recipient; undefined if it always does. */
export async function windowOf(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
  now: Millis,
): Promise<WindowState | undefined> {
  const { id: integrationId, channel, mode, supplied } = candidate;
  if (!channel) return undefined;
  const recipient = String(draft.activity.to.id);
  const { options } = optionsOf(candidate, draft);
  return currentWindow(
    channel,
    { recipient, mode, supplied, options },
    (address) => store.windows.find({ applicationId, integrationId }, address),
    now,
  );
}

/**
 * Throws a Problem if the vendor accepts no free text now; undefined if it certainly does, without a lookup. In a batch,
 * messages outside the window fail when they are sent.
 */
export function checkWindow(
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
  now: Millis,
): Promise<void> | undefined {
  const { id: integrationId, channel, mode, supplied } = candidate;
  if (!channel) return undefined;
  const recipient = String(draft.activity.to.id);
  const { options } = optionsOf(candidate, draft);
  const place = { applicationId, integrationId };
  const closed = isWindowClosed(
    channel,
    { recipient, mode, supplied, options },
    {
      find: (address) => store.windows.find(place, address),
      recall: (address) => store.windows.recall(place, address),
    },
    now,
  );
  return closed === false ? undefined : refuseIf(closed, store, applicationId, candidate, draft);
}

async function refuseIf(
  closed: boolean | Promise<boolean>,
  store: Store,
  applicationId: Id,
  candidate: Candidate,
  draft: Draft,
): Promise<void> {
  if (!(await closed)) return;
  throw await afterConsent(store, windowClosed(draft.pointer), applicationId, candidate, draft);
}

/** Whether only an open window lets the message through. */
export function isFreeText({
  template,
  outsideWindow,
}: Pick<Instructions, 'template' | 'outsideWindow'>): boolean {
  return template?.source !== 'vendor' && outsideWindow === undefined;
}

export function windowClosed(pointer: string): Problem {
  const detail = 'last wrote too long ago for free text';
  return new Problem('window_closed', `the recipient ${detail}`, {
    errors: [{ pointer: `${pointer}/to/id`, detail }],
  });
}
