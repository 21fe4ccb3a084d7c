import { readConfig } from '../../src/config.ts';
import type { Id } from '../../src/model/id.ts';
import { openStore } from '../../src/setup.ts';
import type { AttemptResult, ClaimedMessage } from '../../src/store/delivery/dispatch-round.ts';
import type { Store } from '../../src/store/store.ts';
import type { Sample } from './sample.ts';

/*
 * Accepts and delivers groups of messages with the store alone, as the service would.
 */
const NODE = 'bench';
const LEASE_MS = 3_600_000;

export class StoreWork {
  readonly #environment: Record<string, string>;
  readonly #sample: Sample;
  #store: Store;
  #fence: number;
  #inFlight: ClaimedMessage[] = [];

  private constructor(
    environment: Record<string, string>,
    sample: Sample,
    { store, fence }: Claimed,
  ) {
    this.#environment = environment;
    this.#sample = sample;
    this.#store = store;
    this.#fence = fence;
  }

  static async open(environment: Record<string, string>, sample: Sample): Promise<StoreWork> {
    return new StoreWork(environment, sample, await openClaimed(environment, sample));
  }

  /** Closes the store, which must be drained, and opens it again. */
  async reopen(): Promise<void> {
    await this.close();
    const { store, fence } = await openClaimed(this.#environment, this.#sample);
    this.#store = store;
    this.#fence = fence;
  }

  /** Accepts messages in one commit, scheduled if `dueAt` is given; returns its duration in milliseconds. */
  async accept(recipients: readonly string[], dueAt: number | null = null): Promise<number> {
    const { applicationId, integrationId, activity } = this.#sample;
    const messages = recipients.map((recipient) => ({
      applicationId,
      integrationId,
      recipient,
      activity,
      consentKey: `webhook:${recipient}`,
      objectId: null,
      type: 'Create' as const,
      dueAt,
      expiresAt: null,
      createdAt: Date.now(),
    }));
    const began = performance.now();
    await this.#store.messages.accept([{ messages }]);
    return performance.now() - began;
  }

  /** Runs one dispatch round: records the results of the last one and starts up to `count` messages. */
  async dispatch(count: number): Promise<{ claimed: number; milliseconds: number }> {
    const { applicationId, integrationId } = this.#sample;
    const results = this.#inFlight.map((message) => this.#resultOf(message));
    const claims = [{ applicationId, integrationId, fence: this.#fence, count }];
    const began = performance.now();
    const { claimed } = await this.#store.deliveries.dispatch({
      node: NODE,
      now: Date.now(),
      results,
      claims,
    });
    const milliseconds = performance.now() - began;
    this.#inFlight = claimed;
    return { claimed: claimed.length, milliseconds };
  }

  /** Delivers all queued messages. */
  async drain(group: number): Promise<void> {
    while ((await this.dispatch(group)).claimed > 0);
  }

  async close(): Promise<void> {
    await this.#store.ownerships.releaseAll(NODE);
    await this.#store.close();
  }

  #resultOf({ id, starts, recipient }: ClaimedMessage): AttemptResult {
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

interface Claimed {
  store: Store;
  fence: number;
}

/** Opens the store and claims the integration of the sample. */
async function openClaimed(environment: Record<string, string>, sample: Sample): Promise<Claimed> {
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
  if (fence === undefined) throw new Error('the integration could not be claimed');
  return { store, fence };
}

/** Pseudo-random recipients, evenly distributed and the same in every run. */
export function recipientsOf(count: number, among: number, seed: Id): string[] {
  return Array.from({ length: count }, (_, i) => recipientAt(seed + i, among));
}

/** The same formula as in `filling.ts`, so that the recipients have stored messages. */
const recipientAt = (n: number, among: number) => `recipient-${(n * SPREAD) % among}`;

/** A prime, so that consecutive numbers map to distant recipients. */
export const SPREAD = 7_368_787;
