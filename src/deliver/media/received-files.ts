import { findChannel } from '../../channels/index.ts';
import type { FoundFile } from '../../lib/http/download.ts';
import type { MediaReference } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { MediaPlace } from '../../model/media-place.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelCalls } from '../channel-calls.ts';

/** Files that people sent. They are stored by their channel; each access fetches from there. */
export class ReceivedFiles {
  readonly #store: Store;
  readonly #channelCalls: ChannelCalls;

  constructor(store: Store, channelCalls: ChannelCalls) {
    this.#store = store;
    this.#channelCalls = channelCalls;
  }

  /** The channel's reference to a file; undefined if it does not exist or its integration was deleted. */
  async find({ applicationId, event, number }: MediaPlace): Promise<MediaReference | undefined> {
    const found = await this.#store.events.get(applicationId, event);
    const references = JSON.parse(found?.media ?? '[]') as MediaReference[];
    const reference = references[number];
    if (!reference) return undefined;
    const integration = await this.#store.integrations.get(applicationId, reference.integrationId);
    return integration && reference;
  }

  async fetch(
    applicationId: Id,
    reference: MediaReference,
    signal: AbortSignal,
  ): Promise<FoundFile> {
    const integration = await this.#store.integrations.get(applicationId, reference.integrationId);
    const channel = integration && findChannel(integration.name);
    if (!channel) return { fault: 'the integration that received it is gone', isGone: true };
    return this.#channelCalls.fetchFile(integration, channel, reference, signal);
  }
}
