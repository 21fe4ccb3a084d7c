import type { Store } from '../../src/store/store.ts';
import { consentKeyOf } from './stops.ts';

/** The person whose address changes. Messages to them wait in one lane after the other, and keep their order. */
export const MOVING = 'dora';

/** The addresses of the moving person. */
export class AddressChanges {
  /** How often the address changed, by integration. */
  readonly #counts = new Map<number, number>();

  /** The address that messages to the recipient have now. */
  addressOf(integrationId: number, recipient: string): string {
    const count = this.#counts.get(integrationId) ?? 0;
    return recipient === MOVING && count > 0 ? `${MOVING} ${count}` : recipient;
  }

  /** A vendor reports that the person has another address. Messages that wait follow, and later ones go there. */
  async change(
    store: Store,
    place: { applicationId: number; integrationId: number },
    now: number,
  ): Promise<void> {
    const { integrationId } = place;
    const former = this.addressOf(integrationId, MOVING);
    this.#counts.set(integrationId, (this.#counts.get(integrationId) ?? 0) + 1);
    const recipient = this.addressOf(integrationId, MOVING);
    const kept = { consentKey: consentKeyOf(MOVING), contactIds: null };
    await store.addressMoves.move({ ...place, former, recipient, ...kept }, now);
  }

  /**
   * The lane of a message that is resent to this address. What was sent to a former one is sent there again, apart from
   * the messages to the current one.
   */
  laneOf(integrationId: number, address: string): string {
    const isCurrent = address === this.addressOf(integrationId, MOVING);
    return `${integrationId} ${isCurrent ? MOVING : address}`;
  }
}
