import type { Cancel, Clock } from '../lib/runtime/clock.ts';
import type { Log } from '../lib/telemetry/log.ts';
import { storable } from '../lib/text/storable.ts';
import type { Id } from '../model/id.ts';
import type { Integration } from '../model/integration.ts';
import type { HookRequestRecord } from '../store/delivery/integrations.ts';
import type { Store } from '../store/store.ts';

/** How long requests are kept in memory after one was stored. */
const WINDOW_MS = 5_000;
/** Windows in memory; requests beyond that are not recorded. */
const MAX_WINDOWS = 10_000;
/** In characters. */
const MAX_DETAIL_LENGTH = 300;

interface Window {
  place: { applicationId: Id; id: Id };
  /** The last request since the window opened. */
  latest: HookRequestRecord | undefined;
  cancel: Cancel;
}

/**
 * Remembers when the vendor's last webhook request arrived, and whether it was refused. The first is stored at once,
 * later ones when the window ends, so a flood costs one write in five seconds. Recording never delays or fails a
 * request.
 */
export class HookActivity {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #windows = new Map<string, Window>();
  readonly #writes = new Set<Promise<void>>();

  constructor(store: Store, clock: Clock, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
  }

  record({ applicationId, id }: Pick<Integration, 'applicationId' | 'id'>, refusal?: string): void {
    const at = this.#clock.now();
    const detail =
      refusal === undefined ? undefined : storable(refusal.slice(0, MAX_DETAIL_LENGTH));
    const request = { at, refusal: detail };
    const key = `${id} ${refusal === undefined ? 'accepted' : 'refused'}`;
    const window = this.#windows.get(key);
    if (window) {
      window.latest = request;
      return;
    }
    if (this.#windows.size >= MAX_WINDOWS) return;
    const place = { applicationId, id };
    this.#open(key, place);
    this.#write(place, request);
  }

  #open(key: string, place: Window['place']): void {
    const cancel = this.#clock.after(WINDOW_MS, () => this.#end(key));
    this.#windows.set(key, { place, latest: undefined, cancel });
  }

  #end(key: string): void {
    const window = this.#windows.get(key);
    this.#windows.delete(key);
    if (!window?.latest) return;
    this.#open(key, window.place);
    this.#write(window.place, window.latest);
  }

  #write(place: Window['place'], request: HookRequestRecord): void {
    const write = this.#store.integrations
      .setHookRequest(place, request)
      .catch((error: unknown) =>
        this.#log.warn({ err: error, integration_id: place.id }, 'webhook time not stored'),
      )
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Stores what is in memory. */
  async close(): Promise<void> {
    for (const { cancel, place, latest } of this.#windows.values()) {
      cancel();
      if (latest) this.#write(place, latest);
    }
    this.#windows.clear();
    await Promise.all(this.#writes);
  }
}
