import { readConfig } from '../src/config.ts';
import type { Id } from '../src/model/id.ts';
import { openStore } from '../src/setup.ts';
import type { Store } from '../src/store/store.ts';
import type { Settlement, Taken } from '../src/store/turn.ts';
import type { Sample } from './sample.ts';

/*
 * Accepting and delivering as the service does it, without the service: what the store alone does with a group of
 * messages.
 */
const NODE = 'bench';
const LEASE_MS = 3_600_000;

export class StoreWork {
  readonly #store: Store;
  readonly #sample: Sample;
  readonly #fence: number;
  #under: Taken[] = [];

  private constructor(store: Store, sample: Sample, fence: number) {
    this.#store = store;
    this.#sample = sample;
    this.#fence = fence;
  }

  /** Takes over the integration of the sample. */
  static async open(environment: Record<string, string>, sample: Sample): Promise<StoreWork> {
    const store = await openStore(readConfig(environment));
    const now = Date.now();
    const node = {
      id: NODE,
      role: 'deliver',
      host: 'bench',
      pid: 1,
      startedAt: now,
      ring: null,
    } as const;
    await store.ownerships.renew(node, LEASE_MS, now);
    const owned = (await store.ownerships.claim(NODE, [], now)) ?? [];
    const fence = owned.find((one) => one.integrationId === sample.integrationId)?.fence;
    if (fence === undefined) throw new Error('the integration could not be taken over');
    return new StoreWork(store, sample, fence);
  }

  /** One commit; answers how many milliseconds it took. */
  async accept(recipients: readonly string[]): Promise<number> {
    const { applicationId, integrationId, activity } = this.#sample;
    const messages = recipients.map((recipient) => ({
      applicationId,
      integrationId,
      recipient,
      activity,
      objectId: null,
      type: 'Create' as const,
      expiresAt: null,
      createdAt: Date.now(),
    }));
    const began = performance.now();
    await this.#store.messages.accept([{ messages }]);
    return performance.now() - began;
  }

  /** One turn: puts on record what the last one started, and starts so many. Answers how many there were. */
  async turn(count: number): Promise<{ taken: number; milliseconds: number }> {
    const { applicationId, integrationId } = this.#sample;
    const settlements = this.#under.map((message) => this.#settlementOf(message));
    const wants = [{ applicationId, integrationId, fence: this.#fence, count }];
    const began = performance.now();
    const { taken } = await this.#store.deliveries.turn({
      node: NODE,
      now: Date.now(),
      settlements,
      wants,
    });
    const milliseconds = performance.now() - began;
    this.#under = taken;
    return { taken: taken.length, milliseconds };
  }

  /** Delivers all that is queued. */
  async drain(group: number): Promise<void> {
    while ((await this.turn(group)).taken > 0);
  }

  async close(): Promise<void> {
    await this.#store.ownerships.release(NODE);
    await this.#store.close();
  }

  #settlementOf({ id, starts, recipient }: Taken): Settlement {
    const { applicationId, integrationId, attempt, event } = this.#sample;
    return {
      applicationId,
      integrationId,
      fence: this.#fence,
      messageId: id,
      start: starts,
      recipient,
      state: 'sent',
      failed: false,
      partsSent: 1,
      channelIds: null,
      reason: null,
      detail: null,
      dueAt: Date.now(),
      waits: null,
      attempt,
      event,
      reportedAs: null,
      trace: null,
      health: 'ok',
      wasUnhealthy: false,
    };
  }
}

/** So many recipients, each as likely as any other, and the same ones in every run. */
export function recipientsOf(count: number, among: number, seed: Id): string[] {
  return Array.from({ length: count }, (_, i) => recipientAt(seed + i, among));
}

/** As `filling.ts` gives them to what is stored already. */
const recipientAt = (n: number, among: number) => `recipient-${(n * SPREAD) % among}`;

/** Prime, so that neighbours are far apart. */
export const SPREAD = 7_368_787;
