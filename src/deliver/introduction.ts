import { findChannel } from '../channels/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Id } from '../model/id.ts';
import type { Store } from '../store/store.ts';
import type { Errands } from './errands.ts';

export interface IntroductionOptions {
  store: Store;
  clock: Clock;
  log: Log;
  errands: Errands;
  /** Where vendors reach the service; without it, nobody is told. */
  publicUrl: string | undefined;
}

/** Tells vendors where to call, by itself, when an integration is made or enabled. */
export class Introduction {
  readonly #options: IntroductionOptions;
  readonly #underWay = new Map<Id, Promise<void>>();

  constructor(options: IntroductionOptions) {
    this.#options = options;
  }

  /** Never rejects: whether it worked is shown with the hook. */
  introduce(applicationId: Id, id: Id): void {
    const { publicUrl, log } = this.#options;
    if (publicUrl === undefined) return;
    // One after the other: the last change is what the vendor is told last.
    const before = this.#underWay.get(id) ?? Promise.resolve();
    const next = before
      .then(() => this.#introduce(applicationId, id, publicUrl))
      .catch((error: unknown) => {
        log.warn({ err: error, integrationId: id }, 'a hook could not be registered');
      })
      .finally(() => {
        if (this.#underWay.get(id) === next) this.#underWay.delete(id);
      });
    this.#underWay.set(id, next);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  async #introduce(applicationId: Id, id: Id, publicUrl: string): Promise<void> {
    const { store, clock, log, errands } = this.#options;
    const integration = await store.integrations.get(applicationId, id);
    const channel = integration && findChannel(integration.name);
    if (!integration || !channel?.hook?.register || integration.state !== 'enable') return;
    const hook = await store.integrations.hookOf(applicationId, id);
    if (!hook) return;
    const url = `${publicUrl}/1/hooks/${id}/${hook.random}`;
    const check = await errands.register(integration, channel, url);
    if (check?.outcome === 'known') return store.integrations.setRegistered(id, clock.now());
    const detail = check?.detail;
    log.warn({ integrationId: id, channel: channel.name, detail }, 'a hook was not registered');
    await store.integrations.setRegistered(id, null);
  }
}
