import type { Closable, Context } from '../channels/channel.ts';
import { FetchFault } from '../lib/http/fetch.ts';
import type { Credentials } from '../model/integration.ts';

/**
 * Holds what a channel keeps open between attempts, such as a connection, and the credentials it was opened with,
 * updated when the channel renews them.
 */
export class ChannelResource {
  credentials: Credentials;
  #kept: Closable | undefined;
  #isClosed = false;

  constructor(credentials: Credentials = {}) {
    this.credentials = credentials;
  }

  readonly use: Context['resource'] = <Kept extends Closable>(open: () => Kept): Kept => {
    // Nothing would close a resource opened now.
    if (this.#isClosed) throw new FetchFault('the node released the integration', false);
    this.#kept ??= open();
    // A channel keeps only one type, so this is the type it opened.
    return this.#kept as Kept;
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }
}
