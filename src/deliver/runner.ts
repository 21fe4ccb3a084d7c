import { isDeepStrictEqual } from 'node:util';

import type { Channel, Chat } from '../channels/channel.ts';
import type { CallOff, Clock } from '../lib/clock.ts';
import type { Uncertain } from '../model/application.ts';
import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Owned } from '../store/ownerships.ts';
import { Budget } from './budget.ts';
import { ContentFaults } from './content-faults.ts';
import { Keeper } from './keeper.ts';
import { Plans } from './plans.ts';

const CONCURRENCY = 8;

/** How an integration is sent for, as the last turn found it. */
export interface Terms {
  channel: Channel;
  credentials: Credentials;
  /** As they are stored; another text means other credentials. */
  sealed: string;
  uncertain: Uncertain;
  /** Takes the secrets among the credentials out of a text. */
  redact(text: string): string;
}

/** Why this node cannot send for an integration, with its credentials as they are stored. */
export interface Trouble {
  detail: string;
  sealed: string;
}

/** What a node knows of one integration that it owns. */
export class Runner {
  readonly integrationId: Id;
  readonly applicationId: Id;
  readonly teamId: Id | null;
  readonly fence: number;
  /** Whether what an earlier owner left behind has been seen to: nothing is started before that. */
  isRecovered = false;
  /** Whether nothing is to be started while something is being found out. */
  isHeld = false;
  /** Whether another node is to own it: nothing more is started. */
  isLeaving = false;
  /** How many sends are under way. */
  underWay = 0;
  /** Whether something may have become due since a turn was last asked. */
  woken = false;
  /** Whether a turn is being made that starts messages of it, and which was the last. */
  isAsked = false;
  lastAsked = 0;
  /** Whether it fails, or its last attempt failed, as far as this node knows. */
  isUnhealthy = false;
  /** How often in a row the channel has said that there is a limit, and until when it last did. */
  limits = 0;
  limitedUntil: Millis = 0;
  /** Where its vendor reports, once something was sent. */
  hookUrl: string | undefined;
  /** The conversations of it, once something was sent. */
  chat: Chat | undefined;
  #terms: Terms | undefined;
  #trouble: Trouble | undefined;
  readonly plans = new Plans();
  readonly contentFaults = new ContentFaults();
  #keeper = new Keeper();
  #budget: Budget | undefined;
  #sleep: { until: Millis; callOff: CallOff } | undefined;
  readonly #clock: Clock;

  constructor({ integrationId, applicationId, teamId, fence }: Owned, clock: Clock) {
    this.integrationId = integrationId;
    this.applicationId = applicationId;
    this.teamId = teamId;
    this.fence = fence;
    this.#clock = clock;
  }

  /** Undefined while nothing is known, and when nothing can be sent, for which `trouble` is the reason. */
  get terms(): Terms | undefined {
    return this.#terms;
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get keeper(): Keeper {
    return this.#keeper;
  }

  /** Other credentials, or another channel, do away with what was kept for the old ones. */
  setTerms(terms: Terms): void {
    const before = this.#terms;
    this.#terms = terms;
    this.#trouble = undefined;
    const isSame = before && isDeepStrictEqual(before.credentials, terms.credentials);
    if (isSame && before.channel === terms.channel) return;
    this.plans.clear();
    if (before) void this.closeKept();
    this.#keeper.credentials = terms.credentials;
    const pace = terms.channel.pace?.integration;
    this.#budget = pace && new Budget(pace, this.#clock);
  }

  /** The channel has replaced some of the credentials; what is kept goes on with them. */
  renew(terms: Terms): void {
    this.#terms = terms;
  }

  /** Nothing can be sent for it, for this reason. */
  setTrouble(trouble: Trouble): void {
    this.#terms = undefined;
    this.#trouble = trouble;
    void this.closeKept();
  }

  /** How many more it may send now. */
  get room(): number {
    if (this.isHeld || this.isLeaving || !this.isRecovered) return 0;
    // Carefully at first: what the channel allows is known only when the first message is there.
    const most = this.#terms ? (this.#terms.channel.concurrency ?? CONCURRENCY) : 1;
    return Math.min(most - this.underWay, this.#budget?.available ?? Number.POSITIVE_INFINITY);
  }

  /** When there is room again by the pace of the channel; undefined when that is not what it lacks. */
  get roomAt(): Millis | undefined {
    return this.#budget?.nextAt;
  }

  started(): void {
    this.underWay++;
    this.#budget?.spend();
  }

  ended(): void {
    this.underWay--;
  }

  /** What was started did not come to be sent, so it does not count by the pace of the channel. */
  spared(): void {
    this.#budget?.giveBack();
  }

  /** Calls at that moment, or at an earlier one that was set before. */
  sleepUntil(at: Millis, call: () => void): void {
    if (this.#sleep && this.#sleep.until <= at) return;
    this.#sleep?.callOff();
    const delay = Math.max(at - this.#clock.now(), 0);
    const callOff = this.#clock.after(delay, () => {
      this.#sleep = undefined;
      call();
    });
    this.#sleep = { until: at, callOff };
  }

  async close(): Promise<void> {
    this.#sleep?.callOff();
    this.#sleep = undefined;
    await this.closeKept();
  }

  async closeKept(): Promise<void> {
    const keeper = this.#keeper;
    this.#keeper = new Keeper(this.#terms?.credentials);
    // What is let go of need not say goodbye.
    await keeper.close().catch(() => {});
  }
}
