import { isDeepStrictEqual } from 'node:util';

import type { Channel, Chat } from '../channels/channel.ts';
import type { Cancel, Clock } from '../lib/runtime/clock.ts';
import type { Uncertain } from '../model/application.ts';
import type { Id } from '../model/id.ts';
import type { Credentials, IntegrationMode } from '../model/integration.ts';
import type { QuietHours } from '../model/sending/quiet-hours.ts';
import type { Millis } from '../model/timestamp.ts';
import type { OwnedIntegration } from '../store/delivery/ownerships.ts';
import { Budget } from './attempt/budget.ts';
import { ContentFaults } from './attempt/content-faults.ts';
import { RecipientPace } from './attempt/recipient-pace.ts';
import { ChannelResource } from './channel-resource.ts';
import { Plans } from './plans.ts';

const DEFAULT_CONCURRENCY = 8;

/** An integration's channel, credentials and policy as of the last dispatch round. */
export interface RunnerConfig {
  channel: Channel;
  credentials: Credentials;
  mode: IntegrationMode;
  /** The encrypted credentials; a different text means different credentials. */
  sealed: string;
  uncertain: Uncertain;
  /** The application's quiet hours, as stored and parsed. */
  quiet: string | null;
  quietHours: QuietHours;
  /** Masks the secret credentials in a text. */
  redact(text: string): string;
}

/** Why this node cannot send for an integration, with its encrypted credentials. */
export interface SendBlocker {
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
  inFlight = 0;
  /** Whether a message may have become due since the last dispatch round. */
  woken = false;
  /** Whether a round in progress claims its messages, and the number of the last round that did. */
  isClaiming = false;
  lastClaimRound = 0;
  /** Whether it is failing, or its last attempt failed, as far as this node knows. */
  isUnhealthy = false;
  /** Consecutive rate limits, and when the last one ends. */
  limits = 0;
  limitedUntil: Millis = 0;
  /** The URL for the vendor's delivery reports, cached by the first send that needs it. */
  hookUrl: string | undefined;
  /** Its web chat conversations, set by the first send. */
  chat: Chat | undefined;
  #config: RunnerConfig | undefined;
  /** The encrypted credentials before the last renewal. */
  #superseded: string | undefined;
  #blocker: SendBlocker | undefined;
  readonly plans = new Plans();
  readonly contentFaults = new ContentFaults();
  #resource = new ChannelResource();
  #budget: Budget | undefined;
  #recipientPace: RecipientPace;
  #sleep: { until: Millis; cancel: Cancel } | undefined;
  readonly #clock: Clock;

  constructor({ integrationId, applicationId, teamId, fence }: OwnedIntegration, clock: Clock) {
    this.integrationId = integrationId;
    this.applicationId = applicationId;
    this.teamId = teamId;
    this.fence = fence;
    this.#clock = clock;
    this.#recipientPace = new RecipientPace(clock);
  }

  /** Undefined before the first round, and if this node cannot send; `blocker` then has the reason. */
  get config(): RunnerConfig | undefined {
    return this.#config;
  }

  get blocker(): SendBlocker | undefined {
    return this.#blocker;
  }

  get resource(): ChannelResource {
    return this.#resource;
  }

  /** Closes the open resource if the credentials, the channel or the mode changed. */
  setConfig(config: RunnerConfig): void {
    const before = this.#config;
    this.#config = config;
    this.#blocker = undefined;
    const isSame = before && isDeepStrictEqual(before.credentials, config.credentials);
    if (isSame && before.channel === config.channel && before.mode === config.mode) return;
    this.hookUrl = undefined;
    this.plans.clear();
    if (before) void this.closeResource();
    this.#resource.credentials = config.credentials;
    const pace = config.channel.pace?.integration;
    this.#budget = pace && new Budget(pace, this.#clock);
    this.#recipientPace = new RecipientPace(this.#clock);
  }

  /** Applies credentials that the channel renewed; the open resource stays open. */
  renew(config: RunnerConfig): void {
    this.#superseded = this.#config?.sealed;
    this.#config = config;
  }

  /**
   * Whether these are the encrypted credentials in use, or those before the last renewal, which a dispatch round may have
   * read before the renewal was stored.
   */
  isUsing(sealed: string): boolean {
    return sealed === this.#config?.sealed || sealed === this.#superseded;
  }

  setBlocker(blocker: SendBlocker): void {
    this.#config = undefined;
    this.#blocker = blocker;
    void this.closeResource();
  }

  /** How many more messages it may start now. */
  get capacity(): number {
    if (this.isHeld || this.isLeaving || !this.isRecovered) return 0;
    // One at first: the channel, and so its concurrency, is known only after the first round.
    const max = this.#config ? (this.#config.channel.concurrency ?? DEFAULT_CONCURRENCY) : 1;
    return Math.min(max - this.inFlight, this.#budget?.available ?? Number.POSITIVE_INFINITY);
  }

  /** When the channel's rate limit allows the next message; undefined if it allows one now. */
  get capacityAt(): Millis | undefined {
    return this.#budget?.nextAt;
  }

  started(): void {
    this.inFlight++;
    this.#budget?.spend();
  }

  ended(): void {
    this.inFlight--;
    this.#budget?.answered();
  }

  /** A started message was not sent, so it does not count against the channel's rate limit. */
  refundBudget(): void {
    this.#budget?.refund();
  }

  /** How long the next message to a recipient must wait after one that was answered, in milliseconds. */
  spacingAfter(recipient: string, { pace = {} }: Pick<Channel, 'pace'>): number {
    return this.#recipientPace.count(pace, recipient);
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
    await this.closeResource();
  }

  async closeResource(): Promise<void> {
    const resource = this.#resource;
    this.#resource = new ChannelResource(this.#config?.credentials);
    // Nothing depends on a clean close.
    await resource.close().catch(() => {});
  }
}
