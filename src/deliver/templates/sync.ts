import type { Channel, Failure } from '../../channels/channel.ts';
import type { Clock } from '../../lib/runtime/clock.ts';
import type { Log } from '../../lib/telemetry/log.ts';
import type { Id } from '../../model/id.ts';
import type { Integration } from '../../model/integration.ts';
import type { Millis } from '../../model/timestamp.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelCalls } from '../channel-calls.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The age at which a list is read again. */
const INTERVAL_MS = 6 * HOUR_MS;
/** The time until the next attempt, unless a list was read. */
const RETRY_MS = HOUR_MS;
/** One index lookup each time, if nothing is due. */
const POLL_MS = 60_000;
/** Lists read at the same time. */
const BATCH_SIZE = 5;

export interface TemplateSyncOptions {
  store: Store;
  clock: Clock;
  log: Log;
  channelCalls: Pick<ChannelCalls, 'listTemplates'>;
  findChannel(name: string): Channel | undefined;
}

/**
 * Reads the templates of vendors: on request, and then every few hours. Every delivering node reads different lists.
 */
export class TemplateSync {
  readonly #options: TemplateSyncOptions;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: TemplateSyncOptions) {
    this.#options = options;
  }

  /** Reads and stores the list of an integration. If that fails, the old list stays. */
  async sync(
    integration: Integration,
    channel: Channel,
  ): Promise<{ syncedAt: Millis; count: number } | Failure> {
    const { store, clock, channelCalls } = this.#options;
    const templates = await channelCalls.listTemplates(integration, channel);
    if ('outcome' in templates) return templates;
    const { found } = templates;
    const { id: integrationId, applicationId } = integration;
    const now = clock.now();
    const times = { now, nextAt: now + INTERVAL_MS };
    await store.vendorTemplates.replace({ applicationId, integrationId }, found, times);
    return { syncedAt: now, count: found.length };
  }

  /** Starts reading lists that are due. */
  start(): void {
    this.#cancel = this.#options.clock.after(POLL_MS, () => void this.#run());
  }

  /** Does not wait for vendors: the lists are read by another node, or later. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  /** Never rejects: the next run retries. */
  async #run(): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      for (let isFull = true; isFull && !this.#isStopped;) {
        const now = clock.now();
        const due = await store.vendorTemplates.claimDue(now, now + RETRY_MS, BATCH_SIZE);
        await Promise.all(due.map((place) => this.#syncDue(place)));
        isFull = due.length === BATCH_SIZE;
      }
    } catch (error) {
      if (!this.#isStopped) log.warn({ err: error }, 'syncing templates failed, retrying');
    }
    if (!this.#isStopped) this.start();
  }

  async #syncDue({ applicationId, integrationId }: { applicationId: Id; integrationId: Id }) {
    const { store, log, findChannel } = this.#options;
    const integration = await store.integrations.get(applicationId, integrationId);
    const channel = integration && findChannel(integration.name);
    if (integration?.state !== 'enable' || !channel?.templates) return;
    const synced = await this.sync(integration, channel);
    if ('outcome' in synced) {
      const { detail } = synced;
      log.warn({ integration_id: integrationId, detail }, 'vendor did not list its templates');
    }
  }
}
