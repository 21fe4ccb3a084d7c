import type { Channel, ChannelGuide, CredentialTrial, CredentialTrialResult } from '../api.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The available channels. Needs no token, except for `check`. */
export class Channels {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All channels, with the credentials they need, their capabilities and limits. */
  async list(options?: CallOptions): Promise<Channel[]> {
    return (await this.#transport.call('GET /1/channels', {}, options)).data;
  }

  /** The channel with that name or alias; undefined if there is none. */
  async get(name: string, options?: CallOptions): Promise<Channel | undefined> {
    const wanted = name.trim().toLowerCase();
    const channels = await this.list(options);
    return channels.find((channel) => [channel.name, ...channel.aliases].includes(wanted));
  }

  /** The steps to set the channel up. */
  guide(name: string, options?: CallOptions): Promise<ChannelGuide> {
    return this.#transport.call('GET /1/channels/{name}/guide', { path: { name } }, options);
  }

  /**
   * Checks credentials with the channel's vendor before you create an integration. Needs an application token.
   */
  check(
    name: string,
    credentials: CredentialTrial,
    options?: CallOptions,
  ): Promise<CredentialTrialResult> {
    const input = { path: { name }, body: credentials };
    return this.#transport.call('POST /1/channels/{name}/check', input, options);
  }
}
