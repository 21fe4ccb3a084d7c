import { setTimeout as delay } from 'node:timers/promises';

import type { Check } from '../channels/channel.ts';
import { findChannel } from '../channels/index.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import type { Id } from '../model/id.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import type { ChannelCalls } from './channel-calls.ts';

export interface WebhookRegistrationOptions {
  store: Store;
  clock: Clock;
  log: Log;
  channelCalls: ChannelCalls;
  /** The URL at which vendors reach the service; without it, webhooks are not registered automatically. */
  publicUrl: string | undefined;
}

/** Registers webhook URLs with vendors: on request, and automatically when an enabled integration is created or changed. */
export class WebhookRegistration {
  readonly #options: WebhookRegistrationOptions;
  readonly #running = new Map<Id, Promise<unknown>>();

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options;
  }

  /** Registers the webhook of an integration that was created or changed. The webhook resource shows the result. */
  registerInBackground(applicationId: Id, id: Id): void {
    const { publicUrl, log } = this.#options;
    if (publicUrl === undefined) return;
    this.register(applicationId, id, publicUrl).then(
      (check) => {
        if (!check || check.outcome === 'known') return;
        log.warn({ integration_id: id, detail: check.detail }, 'webhook not registered');
      },
      (error: unknown) => {
        log.warn({ err: error, integration_id: id }, 'webhook registration failed');
      },
    );
  }

  /** Undefined if the integration is disabled or gone, or its channel has nothing to register. */
  register(applicationId: Id, id: Id, baseUrl: string): Promise<Check | undefined> {
    // One at a time: of two that each generate a secret, the vendor could keep the one that is not stored.
    const before = this.#running.get(id) ?? Promise.resolve();
    const next = before
      .catch(() => {})
      .then(() => this.#register(applicationId, id, baseUrl))
      .finally(() => {
        if (this.#running.get(id) === next) this.#running.delete(id);
      });
    this.#running.set(id, next);
    return next;
  }

  /** Waits up to `timeoutMs` for registrations in progress. */
  async stop(timeoutMs: Millis): Promise<void> {
    const enough = new AbortController();
    const time = delay(timeoutMs, undefined, { signal: enough.signal, ref: false });
    await Promise.race([Promise.allSettled(this.#running.values()), time.catch(() => {})]);
    enough.abort();
  }

  async #register(applicationId: Id, id: Id, baseUrl: string): Promise<Check | undefined> {
    const { store, clock, channelCalls } = this.#options;
    const integration = await store.integrations.get(applicationId, id);
    const channel = integration && findChannel(integration.name);
    if (!integration || !channel?.hook?.register || integration.state !== 'enable') return;
    const hook = await store.integrations.hookOf(applicationId, id);
    if (!hook) return undefined;
    const url = `${baseUrl}/1/hooks/${id}/${hook.random}`;
    const check = await channelCalls.register(integration, channel, url);
    const isRegistered = check?.outcome === 'known';
    await store.integrations.setRegistered(integration, isRegistered ? clock.now() : null);
    return check;
  }
}
