import { isDeepStrictEqual } from 'node:util';

import type { Channel, Chat } from '../channels/channel.ts';
import type { CallOff, Clock } from '../lib/runtime/clock.ts';
import type { Uncertain } from '../model/application.ts';
import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Owned } from '../store/delivery/ownerships.ts';
import { Budget } from './attempt/budget.ts';
import { ContentFaults } from './attempt/content-faults.ts';
import { ChannelResource } from './channel-resource.ts';
import { Plans } from './plans.ts';

const DEFAULT_CONCURRENCY = 8;

/** An integration's channel, credentials and policy as of the last dispatch round. */
export interface Terms {
  channel: Channel;
  credentials: Credentials;
  /** The encrypted credentials; a different text means different credentials. */
  sealed: string;
  uncertain: Uncertain;
  /** Masks the secret credentials in a text. */
  redact(text: string): string;
}

/** Why this node cannot send for an integration, with its encrypted credentials. */
export interface Trouble {
  detail: string;
  sealed: string;
}

/** The in-memory state of one integration that this node owns. */
export class Runner {
  readonly integrationId: Id;
  readonly applicationId: Id;
  readonly teamId: Id | null;
  readonly fence: number;
  /** Whether messages that an earlier owner left in flight have been handled. Nothing starts before that. */
  isRecovered = false;
  /** Whether starts are suspended, while a pause is being recorded. */
  isHeld = false;
  /** Whether it is being handed to another node. Nothing more starts. */
  isLeaving = false;
  /** Messages in flight. */
  inFlight = 0;
  /** Whether a message may have become due since the last dispatch round. */
  woken = false;
  /** Whether a round is in progress that starts its messages, and the number of the last such round. */
  isAsked = false;
  lastAsked = 0;
  /** Whether it is failing, or its last attempt failed, as far as this node knows. */
  isUnhealthy = false;
  /** Consecutive rate limits, and when the last one ends. */
  limits = 0;
  limitedUntil: Millis = 0;
  /** The URL for the vendor's delivery reports, cached by the first send that needs it. */
  hookUrl: string | undefined;
  /** Its web chat conversations, set by the first send. */
  chat: Chat | undefined;
  #terms: Terms | undefined;
  #trouble: Trouble | undefined;
  readonly plans = new Plans();
  readonly contentFaults = new ContentFaults();
  #resource = new ChannelResource();
  #budget: Budget | undefined;
  #sleep: { until: Millis; cancel: CallOff } | undefined;
  readonly #clock: Clock;

  constructor({ integrationId, applicationId, teamId, fence }: Owned, clock: Clock) {
    this.integrationId = integrationId;
    this.applicationId = applicationId;
    this.teamId = teamId;
    this.fence = fence;
    this.#clock = clock;
  }

  /** Undefined before the first round, and if this node cannot send; `trouble` then has the reason. */
  get terms(): Terms | undefined {
    return this.#terms;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get resource(): ChannelResource {
    return this.#resource;
  }

  /** If the credentials or the channel changed, closes what was kept open for the old ones. */
  setTerms(terms: Terms): void {
    const before = this.#terms;
    this.#terms = terms;
    this.#trouble = undefined;
    const isSame = before && isDeepStrictEqual(before.credentials, terms.credentials);
    if (isSame && before.channel === terms.channel) return;
    this.plans.clear();
    if (before) void this.closeKept();
    this.#resource.credentials = terms.credentials;
    const pace = terms.channel.pace?.integration;
    this.#budget = pace && new Budget(pace, this.#clock);
  }

  /** Takes credentials that the channel renewed; what it keeps open stays open. */
  renew(terms: Terms): void {
    this.#terms = terms;
  }

  setTrouble(trouble: Trouble): void {
    this.#terms = undefined;
    this.#trouble = trouble;
    void this.closeKept();
  }

  /** How many more messages it may start now. */
  get room(): number {
    if (this.isHeld || this.isLeaving || !this.isRecovered) return 0;
    // One at first: the channel, and so its concurrency, is known only after the first round.
    const most = this.#terms ? (this.#terms.channel.concurrency ?? DEFAULT_CONCURRENCY) : 1;
    return Math.min(most - this.inFlight, this.#budget?.available ?? Number.POSITIVE_INFINITY);
  }

  /** When the channel's rate limit allows the next message; undefined if it allows one now. */
  get roomAt(): Millis | undefined {
    return this.#budget?.nextAt;
  }

  started(): void {
    this.inFlight++;
    this.#budget?.spend();
  }

  ended(): void {
    this.inFlight--;
  }

  /** A started message was not sent, so it does not count against the channel's rate limit. */
  refundBudget(): void {
    this.#budget?.requeue();
  }

  /** Schedules the call, unless an earlier one is scheduled already. */
  sleepUntil(at: Millis, call: () => void): void {
    if (this.#sleep && this.#sleep.until <= at) return;
    this.#sleep?.cancel();
    const delay = Math.max(at - this.#clock.now(), 0);
    const cancel = this.#clock.after(delay, () => {
      this.#sleep = undefined;
      call();
    });
    this.#sleep = { until: at, cancel };
  }

  async close(): Promise<void> {
    this.#sleep?.cancel();
    this.#sleep = undefined;
    await this.closeKept();
  }

  async closeKept(): Promise<void> {
    const resource = this.#resource;
    this.#resource = new ChannelResource(this.#terms?.credentials);
    // Nothing depends on a clean close.
    await resource.close().catch(() => {});
  }
}
