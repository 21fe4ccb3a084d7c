import type { Closable, Context } from '../channels/channel.ts';
import { FetchFault } from '../lib/fetch.ts';
import type { Credentials } from '../model/integration.ts';

/**
 * What lasts from one try to the next, of whatever type the channel wants; and the credentials that it was
 * opened with, as far as the channel has not replaced them since.
 */
export class Keeper {
  credentials: Credentials;
  #kept: Closable | undefined;
  #isClosed = false;

  constructor(credentials: Credentials = {}) {
    this.credentials = credentials;
  }

  readonly keep: Context['keep'] = <Kept extends Closable>(open: () => Kept): Kept => {
    // Nobody would ever close it.
    if (this.#isClosed) throw new FetchFault('the integration is let go of', false);
    this.#kept ??= open();
    // A channel opens one kind of thing only, so it is what the channel opened before.
    return this.#kept as Kept;
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }
}
