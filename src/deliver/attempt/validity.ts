import { validUntil } from '../../model/sending/message-route.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';
import type { Store } from '../../store/store.ts';

/** When the next route of the message starts: vendors that accept an expiry stop trying then. */
export async function validityOf(
  { applicationId, id, route }: ClaimedMessage,
  { routes }: Store,
): Promise<Millis | undefined> {
  if (route === undefined || route === null) return undefined;
  return validUntil(route, await routes.list(applicationId, id));
}
