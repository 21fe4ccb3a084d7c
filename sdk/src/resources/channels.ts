import type { Channel, CredentialTrial, CredentialTrialResult } from '../api.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The channels that there are. Takes no token, but for `check`. */
export class Channels {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All of them: which credentials each needs, what it can carry, and its limits. */
  async list(options?: CallOptions): Promise<Channel[]> {
    return (await this.#transport.call('GET /1/channels', {}, options)).data;
  }

  /** The channel of that name; undefined when there is none. */
  async get(name: string, options?: CallOptions): Promise<Channel | undefined> {
    const wanted = name.trim().toLowerCase();
    const channels = await this.list(options);
    return channels.find((channel) => [channel.name, ...channel.aliases].includes(wanted));
  }

  /**
   * Asks a channel whether it takes these credentials, before an integration is made of them. Takes a token of an
   * application.
   */
  check(
    name: string,
    credentials: CredentialTrial,
    options?: CallOptions,
  ): Promise<CredentialTrialResult> {
    const given = { path: { name }, body: credentials };
    return this.#transport.call('POST /1/channels/{name}/check', given, options);
  }
}
