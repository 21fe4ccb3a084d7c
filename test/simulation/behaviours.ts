import type { Outcome } from '../../src/channels/channel.ts';
import { FetchFault } from '../../src/lib/http/fetch.ts';
import type { TestClock } from '../support/clock.ts';

/** How the channel may respond to a message. */
export const BEHAVIOURS = [
  'sent',
  'sent slowly',
  'limited',
  'recipient limited',
  'failed',
  'lost',
  'refused',
  'credentials',
  'hangs',
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

const UNSENT: ReadonlySet<Behaviour> = new Set([
  'limited',
  'recipient limited',
  'failed',
  'refused',
  'credentials',
]);

/** Whether the channel may have sent it. */
export const mayBeOut = ({ behaviour }: { behaviour: Behaviour }): boolean =>
  !UNSENT.has(behaviour);

/** How an integration may fail for a while. */
export const OUTAGES = ['limited', 'failed', 'credentials', 'hangs'] as const;
export type Outage = (typeof OUTAGES)[number];

/** The channel's response; it never settles if the channel hangs. */
export async function behave(
  behaviour: Behaviour,
  clock: TestClock,
  signal: AbortSignal,
): Promise<Outcome> {
  const detail = behaviour;
  switch (behaviour) {
    case 'sent':
      return { outcome: 'sent', id: 'x' };
    case 'sent slowly':
      await until(signal, (resolve) => clock.after(3_000, resolve));
      return { outcome: 'sent' };
    case 'limited':
      return { outcome: 'limited', scope: 'integration', seconds: 5, detail };
    case 'recipient limited':
      return { outcome: 'limited', scope: 'recipient', seconds: 5, detail };
    case 'failed':
      return { outcome: 'transient', maybeSent: false, detail };
    case 'lost':
      return { outcome: 'transient', maybeSent: true, detail };
    case 'refused':
      return { outcome: 'permanent', blame: 'recipient', detail };
    case 'credentials':
      return { outcome: 'permanent', blame: 'credentials', detail };
    case 'hangs':
      return until(signal, () => {});
  }
}

/** A promise that rejects as soon as the signal aborts. */
function until<Value>(signal: AbortSignal, begin: (resolve: () => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => {
    begin(resolve as () => void);
    if (signal.aborted) reject(new FetchFault('aborted', true));
    signal.addEventListener('abort', () => reject(new FetchFault('aborted', true)));
  });
}
