import type { Failure } from '../channels/channel.ts';
import type { InboundEvent } from '../channels/inbound.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Integration } from '../model/integration.ts';
import type { Store } from '../store/store.ts';
import { contextOf, faultOutcome } from './attempt/attempt.ts';
import type { ChannelResource } from './channel-resource.ts';
import { Files } from './media/downloads.ts';
import type { Runner, RunnerConfig } from './runner.ts';
import { SessionHealth } from './session-health.ts';
import { type VendorAccessOptions, vendorAccess } from './vendor-access.ts';

/** The wait before a session is reopened; it doubles each time. */
const MIN_REOPEN_MS = 1_000;
const MAX_REOPEN_MS = 5 * 60_000;
/** A session that lasted this long resets the wait. */
const STABLE_AFTER_MS = 60_000;
const END_TIMEOUT_MS = 5_000;

export interface ListeningOptions extends VendorAccessOptions {
  store: Store;
  clock: Clock;
  log: Log;
  /** Stores credentials that the channel renewed. */
  storeCredentials(
    runner: Runner,
    resource: ChannelResource,
    changed: RunnerConfig['credentials'],
  ): Promise<void>;
  /** Stores inbound events; resolves when they are on disk. */
  receive(
    integration: Pick<Integration, 'id' | 'applicationId' | 'name' | 'mode'>,
    inboundEvents: readonly InboundEvent[],
    cursor?: string,
  ): Promise<void>;
}

interface Session {
  /** A different resource means that the credentials have changed. */
  resource: ChannelResource;
  abort: AbortController;
  /** Aborted when the session may store nothing more, because another session may have replaced it. */
  closed: AbortController;
  ended: Promise<void>;
  /** Set during a graceful end. */
  ending?: Promise<void>;
}

/** Runs live sessions for the owned integrations whose channel receives through one. */
export class Listening {
  readonly #options: ListeningOptions;
  readonly #sessions = new Map<Runner, Session>();

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Opens, replaces or ends the session according to the integration's current status. */
  update(runner: Runner, isOpen: boolean): void {
    const { config, resource } = runner;
    const session = this.#sessions.get(runner);
    const isWanted = isOpen && config?.channel.listen !== undefined;
    if (isWanted && session?.resource === resource) return;
    this.end(runner);
    if (!isWanted) return;
    const abort = new AbortController();
    const closed = new AbortController();
    const ended = this.#listen(runner, config, resource, abort.signal, closed.signal);
    this.#sessions.set(runner, { resource, abort, closed, ended });
  }

  end(runner: Runner): void {
    const session = this.#sessions.get(runner);
    this.#sessions.delete(runner);
    session?.closed.abort();
    session?.abort.abort();
  }

  /** Ends the session, but first stores what it is reading, up to a timeout. */
  async endGracefully(runner: Runner): Promise<void> {
    const session = this.#sessions.get(runner);
    if (!session) return;
    session.ending ??= this.#finish(session);
    await session.ending;
    if (this.#sessions.get(runner) === session) this.#sessions.delete(runner);
  }

  async #finish({ abort, closed, ended }: Session): Promise<void> {
    abort.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(END_TIMEOUT_MS, resolve);
    await Promise.race([ended, promise]);
    cancel();
    closed.abort();
  }

  endAll(): void {
    for (const runner of this.#sessions.keys()) this.end(runner);
  }

  async endAllGracefully(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((runner) => this.endGracefully(runner)));
  }

  /** Runs sessions until the signal aborts. Never rejects, since nothing awaits it while it runs. */
  async #listen(
    runner: Runner,
    config: RunnerConfig,
    resource: ChannelResource,
    signal: AbortSignal,
    closed: AbortSignal,
  ): Promise<void> {
    const { clock, log } = this.#options;
    const { integrationId } = runner;
    const { name } = config.channel;
    for (let wait = MIN_REOPEN_MS; !signal.aborted;) {
      const began = clock.elapsed();
      const health = new SessionHealth(this.#options, runner);
      const stop = () => health.abort();
      signal.addEventListener('abort', stop);
      const failure = await this.#session(runner, config, resource, signal, closed, health).catch(
        faultOutcome,
      );
      signal.removeEventListener('abort', stop);
      if (signal.aborted) return;
      const detail = failure && config.redact(failure.detail);
      log.info(
        { integration_id: integrationId, channel: name, detail },
        'session ended, reopening',
      );
      await health.ended(failure, detail);
      if (signal.aborted) return;
      if (clock.elapsed() - began > STABLE_AFTER_MS) wait = MIN_REOPEN_MS;
      await pause(clock, failure?.outcome === 'permanent' ? MAX_REOPEN_MS : wait, signal);
      wait = Math.min(wait * 2, MAX_REOPEN_MS);
    }
  }

  async #session(
    runner: Runner,
    config: RunnerConfig,
    resource: ChannelResource,
    signal: AbortSignal,
    closed: AbortSignal,
    health: SessionHealth,
  ): Promise<Failure | undefined> {
    const { store, clock, receive, storeCredentials } = this.#options;
    const { integrationId, applicationId } = runner;
    const { channel, mode } = config;
    const place = { id: integrationId, applicationId, mode };
    const { network, operatorUrl } = vendorAccess(this.#options, place, channel);
    const cursor = await store.integrations.cursorOf(applicationId, integrationId);
    const account = {
      ...config,
      // These include renewals since the last dispatch round.
      credentials: resource.credentials,
      operatorUrl,
      resource: resource.use,
      storeCredentials: (changed: RunnerConfig['credentials']) =>
        storeCredentials(runner, resource, changed),
    };
    const exchange = { status: null, request: null, body: null, answer: null, secrets: [] };
    const files = new Files(network, signal);
    const context = contextOf(account, { network, clock }, signal, exchange, files);
    const integration = { ...place, name: channel.name };
    try {
      return await channel.listen?.({
        ...context,
        cursor,
        async emit(inboundEvents, next) {
          closed.throwIfAborted();
          try {
            await receive(integration, inboundEvents, next);
          } catch (error) {
            health.storeFailed();
            throw error;
          }
        },
        connected: () => health.connected(),
        notConfigured: () => health.notConfigured(),
      });
    } finally {
      files.close();
    }
  }
}

function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(milliseconds, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
}
