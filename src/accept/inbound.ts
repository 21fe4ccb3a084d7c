import type { Channel, Context } from '../channels/channel.ts';
import { missingCredentials } from '../channels/channel.ts';
import {
  type Arrival,
  type Hook,
  type HookAnswer,
  type HookCall,
  type HookContext,
  ignored,
} from '../channels/inbound.ts';
import { findChannel } from '../channels/index.ts';
import type { Clock } from '../lib/clock.ts';
import { FetchFault } from '../lib/fetch.ts';
import { GroupCommit } from '../lib/group-commit.ts';
import type { Log } from '../lib/log.ts';
import { storable } from '../lib/storable.ts';
import { type Tracer, within } from '../lib/tracing.ts';
import type { Id } from '../model/id.ts';
import { CREDENTIALS, type Integration } from '../model/integration.ts';
import { Problem } from '../model/problem.ts';
import type { Report } from '../store/arrivals.ts';
import { isRefused } from '../store/faults.ts';
import type { Store } from '../store/store.ts';
import { type Hearing, eventOf, isTold } from './heard.ts';
import { IgnoredCounter } from './ignored-counter.ts';
import { settlePeople } from './people.ts';

/** How many arrivals share a commit, and how many may wait for one. */
const PER_COMMIT = 1_000;
const MAY_WAIT = 20_000;
/** How much of what a vendor says about a failure is kept, in characters. */
const MOST_WORDS = 2_000;

/** Whoever counts the calls of vendors. */
export interface HookObserver {
  hooked(channel: string, outcome: 'taken' | 'refused' | 'unreadable'): void;
}

export interface InboundOptions {
  store: Store;
  clock: Clock;
  log: Log;
  observer: HookObserver;
  tracer: Tracer | undefined;
  /** What the channel of an integration may use. */
  contextFor(integration: Integration, channel: Channel): Context;
  /** Told of each application whose feed has grown. */
  told(applicationId: Id): void;
  /** Told how much that nobody knew an integration has heard. */
  received(integration: Hearing, count: number): void;
  /** Told that there are reports on what was sent. */
  reported(): void;
}

/** Takes what channels bring back: tells the genuine from the forged, and answers when it is safe. */
export class Inbound {
  readonly #options: InboundOptions;
  readonly #commits: GroupCommit<Report, number>;
  readonly #ignored: IgnoredCounter;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#ignored = new IgnoredCounter(options.store, options.clock, options.log);
    this.#commits = new GroupCommit((reports) => options.store.arrivals.accept(reports), {
      perCommit: PER_COMMIT,
      waiting: MAY_WAIT,
      // One after the other: what an integration hears stays in its order.
      atOnce: 1,
      isPoisoned: isRefused,
      weigh: ({ events, receipts }) => 1 + events.length + receipts.length,
    });
  }

  /**
   * A call at the hook of an integration. Throws a Problem for what is not taken. `trace` answers the span of the
   * request, once that is known to be genuine.
   */
  async call(
    integrationId: Id,
    random: string,
    call: HookCall,
    trace: () => string | null,
  ): Promise<HookAnswer> {
    const { integration, channel, hook } = await this.#hooked(integrationId, random);
    const context = this.#options.contextFor(integration, channel);
    const arrivals = await this.#read(call, integration, channel, context);
    await this.arrive(integration, arrivals, undefined, trace());
    return hook.answer?.(call, context) ?? {};
  }

  /** Throws the Problem for an address at which no call is taken, whatever it says. */
  async judge(integrationId: Id, random: string): Promise<void> {
    await this.#hooked(integrationId, random);
  }

  async #hooked(
    integrationId: Id,
    random: string,
  ): Promise<{ integration: Integration; channel: Channel; hook: Hook }> {
    const integration = await this.#options.store.integrations.hooked(integrationId, random);
    const channel = integration && findChannel(integration.name);
    const hook = channel?.hook;
    if (!integration || !hook) throw new Problem('not_found', 'there is no such hook');
    if (integration.state === 'enable') return { integration, channel, hook };
    throw new Problem('integration_disabled', 'the integration hears nothing while it is disabled');
  }

  async #read(
    call: HookCall,
    integration: Integration,
    channel: Channel,
    context: HookContext,
  ): Promise<readonly Arrival[]> {
    const { observer, log } = this.#options;
    const { hook, name } = channel;
    if (!hook) return [];
    const why = await this.#refusal(call, integration, channel, context);
    if (why !== undefined) {
      observer.hooked(name, 'refused');
      log.warn(
        { integration_id: integration.id, channel: name, detail: why },
        'a hook call was refused',
      );
      throw new Problem('hook_refused', `the call cannot be taken for genuine: ${why}`);
    }
    const arrivals = hook.parse(call, context);
    observer.hooked(name, arrivals ? 'taken' : 'unreadable');
    if (!arrivals) throw new Problem('hook_unreadable', 'the call cannot be read');
    return arrivals.length === 0 ? ignored('request', 'incomplete') : arrivals;
  }

  /** Why a call is not taken for the vendor's. */
  async #refusal(
    call: HookCall,
    { credentials }: Integration,
    { hook }: Channel,
    context: HookContext,
  ): Promise<string | undefined> {
    if (!hook) return 'the channel has no hook';
    const supplied = CREDENTIALS.filter((name) => credentials[name] !== undefined);
    const [missing] = missingCredentials(hook, supplied);
    if (missing !== undefined) {
      return `the integration has no ${missing}, without which a genuine call cannot be told`;
    }
    try {
      return await hook.verify(call, context);
    } catch (error) {
      if (!(error instanceof FetchFault)) throw error;
      const detail = `the vendor's keys cannot be had: ${error.message}`;
      throw new Problem('vendor_unavailable', detail, { headers: { 'retry-after': '5' } });
    }
  }

  /** Stores what a channel has brought; resolves when it is on disk. */
  async arrive(
    integration: Hearing,
    brought: readonly Arrival[],
    cursor?: string,
    parent: string | null = null,
  ): Promise<void> {
    const kept = brought.filter(({ what }) => what !== 'ignored' && what !== 'nothing');
    if (kept.length > 0 || cursor !== undefined) {
      await this.#record(integration, kept, cursor, parent);
    }
    // Last: what is brought again because it could not be stored is not counted twice.
    await this.#ignored.count(
      integration,
      brought.filter((arrival) => arrival.what === 'ignored'),
    );
  }

  async #record(
    integration: Hearing,
    brought: readonly Arrival[],
    cursor: string | undefined,
    parent: string | null,
  ): Promise<void> {
    const span = brought.length > 0 ? this.#span(integration, brought.length, parent) : undefined;
    const now = this.#options.clock.now();
    const arrivals = await settlePeople(this.#options.store, integration, brought, now);
    const report = reportOf(integration, arrivals, now, span?.traceparent ?? null);
    const fresh = await within(span, () =>
      this.#commits.submit(cursor === undefined ? report : { ...report, cursor }),
    );
    if (fresh > 0) {
      this.#options.received(integration, fresh);
      this.#options.told(integration.applicationId);
    }
    for (const arrival of arrivals) {
      if (arrival.what === 'unreadable') this.#logSkipped(integration, arrival.reason);
    }
    if (report.receipts.length + report.watermarks.length > 0) this.#options.reported();
  }

  /** Stores what is counted so far. */
  close(): Promise<void> {
    return this.#ignored.close();
  }

  #logSkipped({ id, name }: Hearing, reason: string): void {
    this.#options.log.warn(
      { integration_id: id, channel: name, detail: reason },
      'message skipped, unreadable',
    );
  }

  /** https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
  #span({ id, applicationId, name }: Hearing, count: number, parent: string | null) {
    return this.#options.tracer?.start(`receive ${name}`, {
      kind: 'consumer',
      parent,
      attributes: {
        'messaging.system': name,
        'messaging.operation.name': 'receive',
        'messaging.operation.type': 'receive',
        'messaging.batch.message_count': count,
        'switchboard.application_id': applicationId,
        'switchboard.integration_id': id,
      },
    });
  }
}

function reportOf(
  integration: Hearing,
  arrivals: readonly Arrival[],
  now: number,
  trace: string | null,
): Report {
  const told = arrivals.filter(isTold);
  return {
    applicationId: integration.applicationId,
    integrationId: integration.id,
    at: now,
    events: told.map((arrival) => ({
      key: storable(`${arrival.what} ${arrival.key}`),
      event: { ...eventOf(arrival, integration, now), trace },
    })),
    receipts: arrivals.flatMap((arrival) =>
      arrival.what === 'receipt'
        ? {
            channelId: storable(arrival.id),
            state: arrival.state,
            code: brief(arrival.code),
            detail: brief(arrival.detail),
          }
        : [],
    ),
    watermarks: arrivals.flatMap((arrival) =>
      arrival.what === 'receipts'
        ? { recipient: storable(arrival.recipient), state: arrival.state, upTo: arrival.upTo }
        : [],
    ),
  };
}

/** As much of a vendor's words as is kept. */
function brief(words: string | undefined): string | null {
  return words === undefined ? null : storable(words.slice(0, MOST_WORDS));
}
