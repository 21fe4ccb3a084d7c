import type { Channel, Context } from '../channels/channel.ts';
import { missingCredentials } from '../channels/channel.ts';
import {
  type InboundEvent,
  type Hook,
  type HookResponse,
  type HookRequest,
  type HookContext,
  type Party,
  ignored,
} from '../channels/inbound.ts';
import { findChannel } from '../channels/index.ts';
import { FetchFault } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import { GroupCommit } from '../lib/runtime/group-commit.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { type Tracer, within } from '../lib/telemetry/tracing.ts';
import { storable } from '../lib/text/storable.ts';
import type { Id } from '../model/id.ts';
import { CREDENTIALS, type Integration } from '../model/integration.ts';
import type { NewMessage } from '../model/message.ts';
import { Problem } from '../model/problem.ts';
import { storedCost } from '../model/sending/cost.ts';
import type { Millis } from '../model/timestamp.ts';
import { isRefused } from '../store/faults.ts';
import type { Report } from '../store/messages/inbound.ts';
import type { Store } from '../store/store.ts';
import { blockIn, consentReportOf } from './consent/changes.ts';
import { followChanges } from './contacts/address-changes.ts';
import { contactsOf } from './contacts/inbound-contacts.ts';
import { HookActivity } from './hook-activity.ts';
import { IgnoredCounter } from './ignored-counter.ts';
import { type Receiver, eventOf, isEmitted } from './inbound-events.ts';
import { resolveIdentities } from './sender-identity.ts';
import { windowsOf } from './windows.ts';

/** Inbound events per commit, and waiting for one. */
const MAX_PER_COMMIT = 1_000;
const MAX_WAITING = 20_000;
/** Maximum length of a vendor's error message, in characters. */
const MAX_DETAIL_LENGTH = 2_000;

export interface HookObserver {
  webhookReceived(channel: string, outcome: 'taken' | 'refused' | 'unreadable'): void;
}

export interface InboundOptions {
  store: Store;
  clock: Clock;
  log: Log;
  observer: HookObserver;
  tracer: Tracer | undefined;
  /** Builds the context for the channel of an integration. */
  contextFor(integration: Integration, channel: Channel): Context;
  /** Called for each application whose feed has new events. */
  feedChanged(applicationId: Id): void;
  /** Called with the number of new inbound events of an integration. */
  received(integration: Receiver, count: number): void;
  /** Called when delivery reports have arrived. */
  reported(): void;
  /** Called for each message that answers a keyword. */
  answered(message: NewMessage): void;
}

/** Receives inbound events from channels: verifies, stores, then acknowledges them. */
export class Inbound {
  readonly #options: InboundOptions;
  readonly #commits: GroupCommit<Report, number>;
  readonly #ignored: IgnoredCounter;
  readonly #activity: HookActivity;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#ignored = new IgnoredCounter(options.store, options.clock, options.log);
    this.#activity = new HookActivity(options.store, options.clock, options.log);
    this.#commits = new GroupCommit(
      (reports) =>
        options.store.inboundEvents.accept(reports, (message) => options.answered(message)),
      {
        maxPerCommit: MAX_PER_COMMIT,
        maxWaiting: MAX_WAITING,
        // One at a time, to keep the order within an integration.
        maxConcurrent: 1,
        isPoisoned: isRefused,
        weigh: ({ events, receipts }) => 1 + events.length + receipts.length,
      },
    );
  }

  /**
   * Handles a webhook request. Throws a Problem if it is refused. `trace` starts the request's span; it is called once
   * the request is verified.
   */
  async handleRequest(
    integrationId: Id,
    random: string,
    request: HookRequest,
    trace: () => string | null,
  ): Promise<HookResponse> {
    const { integration, channel, hook } = await this.#findHook(integrationId, random);
    const context = this.#options.contextFor(integration, channel);
    const inboundEvents = await this.#read(request, integration, channel, context);
    await this.receive(integration, inboundEvents, undefined, trace());
    this.#activity.record(integration);
    return hook.answer?.(request, context) ?? {};
  }

  /** Throws if the URL accepts no webhook requests; needs no body. */
  async checkUrl(integrationId: Id, random: string): Promise<void> {
    await this.#findHook(integrationId, random);
  }

  async #findHook(
    integrationId: Id,
    random: string,
  ): Promise<{ integration: Integration; channel: Channel; hook: Hook }> {
    const integration = await this.#options.store.integrations.findByHook(integrationId, random);
    const channel = integration && findChannel(integration.name);
    const hook = channel?.hook;
    if (!integration || !hook) throw new Problem('not_found', 'the webhook does not exist');
    if (integration.state === 'enable') return { integration, channel, hook };
    throw new Problem('integration_disabled', 'the integration is disabled and receives nothing');
  }

  async #read(
    request: HookRequest,
    integration: Integration,
    channel: Channel,
    context: HookContext,
  ): Promise<readonly InboundEvent[]> {
    const { observer, log } = this.#options;
    const { hook, name } = channel;
    if (!hook) return [];
    const why = await this.#refusal(request, integration, channel, context);
    if (why !== undefined) {
      if (integration.mode === 'live') observer.webhookReceived(name, 'refused');
      this.#activity.record(integration, why);
      log.warn(
        { integration_id: integration.id, channel: name, detail: why },
        'webhook request refused',
      );
      throw new Problem('hook_refused', `signature not verified: ${why}`);
    }
    const inboundEvents = await orRetryLater(() => hook.parse(request, context));
    if (integration.mode === 'live') {
      observer.webhookReceived(name, inboundEvents ? 'taken' : 'unreadable');
    }
    if (!inboundEvents) {
      this.#activity.record(integration, 'the request body cannot be parsed');
      throw new Problem('hook_unreadable', 'the request body cannot be parsed');
    }
    return inboundEvents.length === 0 ? ignored('request', 'incomplete') : inboundEvents;
  }

  /** Why the request cannot be verified; undefined if it is the vendor's. */
  async #refusal(
    request: HookRequest,
    { credentials }: Integration,
    { hook }: Channel,
    context: HookContext,
  ): Promise<string | undefined> {
    if (!hook) return 'the channel has no webhooks';
    const supplied = CREDENTIALS.filter((name) => credentials[name] !== undefined);
    const [missing] = missingCredentials(hook, supplied);
    if (missing !== undefined) {
      return `the integration has no ${missing} to verify signatures with`;
    }
    return orRetryLater(() => hook.verify(request, context));
  }

  /** Stores inbound events of a channel; resolves when they are on disk. */
  async receive(
    integration: Receiver,
    incoming: readonly InboundEvent[],
    cursor?: string,
    parent: string | null = null,
  ): Promise<void> {
    const kept = incoming
      .filter(({ what }) => what !== 'ignored' && what !== 'nothing')
      .map(withStorableTime);
    if (kept.length > 0 || cursor !== undefined) {
      await this.#record(integration, kept, cursor, parent);
    }
    // Last, because the vendor repeats a request that could not be stored, and it must not be counted twice.
    await this.#ignored.count(
      integration,
      incoming.filter((inboundEvent) => inboundEvent.what === 'ignored'),
    );
  }

  async #record(
    integration: Receiver,
    incoming: readonly InboundEvent[],
    cursor: string | undefined,
    parent: string | null,
  ): Promise<void> {
    const span = incoming.length > 0 ? this.#span(integration, incoming.length, parent) : undefined;
    const now = this.#options.clock.now();
    const inboundEvents = await resolveIdentities(this.#options.store, integration, incoming, now);
    const { contacts, isChanged } = await contactsOf(
      this.#options.store,
      integration,
      inboundEvents,
      incoming,
      now,
    );
    await followChanges(this.#options.store, integration, incoming, now);
    const trace = span?.traceparent ?? null;
    const report = await reportOf(integration, inboundEvents, now, trace, contacts);
    const fresh = await within(span, () =>
      this.#commits.submit(cursor === undefined ? report : { ...report, cursor }),
    );
    if (fresh > 0) {
      this.#options.received(integration, fresh);
    }
    if (fresh > 0 || isChanged) this.#options.feedChanged(integration.applicationId);
    for (const inboundEvent of inboundEvents) {
      if (inboundEvent.what === 'unreadable') this.#logSkipped(integration, inboundEvent.reason);
    }
    if (report.receipts.length + report.watermarks.length > 0) this.#options.reported();
  }

  /** Stores the counts and the times of webhook requests that are still in memory. */
  async close(): Promise<void> {
    await Promise.all([this.#ignored.close(), this.#activity.close()]);
  }

  #logSkipped({ id, name }: Receiver, reason: string): void {
    this.#options.log.warn(
      { integration_id: id, channel: name, detail: reason },
      'unreadable message skipped',
    );
  }

  /** https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
  #span({ id, applicationId, name }: Receiver, count: number, parent: string | null) {
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

/** The last time whose year has four digits. */
const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Vendors state any number as a time; on some networks, so do their users. */
const storableTime = (at: Millis): Millis => Math.trunc(Math.max(0, Math.min(at, MAX_TIME))) || 0;

function withStorableTime(inboundEvent: InboundEvent): InboundEvent {
  if (inboundEvent.what === 'receipts') {
    return { ...inboundEvent, upTo: storableTime(inboundEvent.upTo) };
  }
  return 'at' in inboundEvent && inboundEvent.at !== undefined
    ? { ...inboundEvent, at: storableTime(inboundEvent.at) }
    : inboundEvent;
}

async function reportOf(
  integration: Receiver,
  inboundEvents: readonly InboundEvent[],
  now: number,
  trace: string | null,
  contacts: ReadonlyMap<Party, Id>,
): Promise<Report> {
  const channel = findChannel(integration.name);
  const events: Report['events'][number][] = [];
  for (const inboundEvent of inboundEvents.filter(isEmitted)) {
    const event = await eventOf(inboundEvent, integration, now, contacts);
    const key = storable(`${inboundEvent.what} ${inboundEvent.key}`);
    const changes = channel ? consentReportOf(inboundEvent, channel, integration) : {};
    const windows = windowsOf(inboundEvent, integration, now);
    const found = { key, event: Object.assign(event, { trace }) };
    events.push(Object.assign(found, changes, windows.length > 0 && { windows }));
  }
  return {
    applicationId: integration.applicationId,
    integrationId: integration.id,
    at: now,
    events,
    receipts: inboundEvents.flatMap((inboundEvent) =>
      inboundEvent.what === 'receipt'
        ? {
            channelId: storable(inboundEvent.id),
            state: inboundEvent.state,
            code: truncated(inboundEvent.code),
            detail: truncated(inboundEvent.detail),
            block: channel ? blockIn(inboundEvent, channel) : null,
          }
        : [],
    ),
    ...costsIn(inboundEvents, integration),
    watermarks: inboundEvents.flatMap((inboundEvent) =>
      inboundEvent.what === 'receipts'
        ? {
            recipient: storable(inboundEvent.recipient),
            state: inboundEvent.state,
            upTo: inboundEvent.upTo,
          }
        : [],
    ),
  };
}

/** Most reports have no cost. */
function costsIn(
  inboundEvents: readonly InboundEvent[],
  { name: channel, mode }: Receiver,
): Pick<Report, 'costs'> {
  const sandbox = mode === 'sandbox' ? 1 : 0;
  const costs = inboundEvents.flatMap((inboundEvent) => {
    if (inboundEvent.what !== 'receipt' || !inboundEvent.cost) return [];
    const cost = storedCost(inboundEvent.cost);
    if (!cost) return [];
    const texts = { channelId: storable(inboundEvent.id), category: storable(cost.category) };
    return [{ ...cost, ...texts, channel, sandbox }];
  });
  return costs.length > 0 ? { costs } : {};
}

/** Asks the vendor to repeat the request later if its API is needed to read the request, but unavailable. */
async function orRetryLater<Result>(read: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
    const detail = `the vendor's API is unavailable: ${error.message}`;
    throw new Problem('vendor_unavailable', detail, { headers: { 'retry-after': '5' } });
  }
}

function truncated(text: string | undefined): string | null {
  return text === undefined ? null : storable(text.slice(0, MAX_DETAIL_LENGTH));
}
