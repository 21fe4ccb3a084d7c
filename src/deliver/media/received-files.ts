import { Readable } from 'node:stream';

import { findChannel } from '../../channels/index.ts';
import type { FoundFile } from '../../lib/http/download.ts';
import type { MediaReference } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { MediaPlace, ReceivedPlace, UploadedPlace } from '../../model/media-place.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelCalls } from '../channel-calls.ts';

/**
 * Files that people sent, which stay at the vendor and are fetched from there at each access, and files that the
 * application uploaded to a conversation.
 */
export class ReceivedFiles {
  readonly #store: Store;
  readonly #channelCalls: ChannelCalls;

  constructor(store: Store, channelCalls: ChannelCalls) {
    this.#store = store;
    this.#channelCalls = channelCalls;
  }

  /** The reference to a file; undefined if it does not exist or its integration was deleted. */
  find(place: MediaPlace): Promise<MediaReference | undefined> {
    return 'event' in place ? this.#findReceived(place) : this.#findUploaded(place);
  }

  async #findReceived({ applicationId, event, number }: ReceivedPlace) {
    const found = await this.#store.events.get(applicationId, event);
    const references = JSON.parse(found?.media ?? '[]') as MediaReference[];
    const reference = references[number];
    if (!reference) return undefined;
    const integration = await this.#store.integrations.get(applicationId, reference.integrationId);
    return integration && reference;
  }

  async #findUploaded({ applicationId, conversation: id, file }: UploadedPlace) {
    const conversation = await this.#store.conversations.get(applicationId, id);
    if (!conversation) return undefined;
    const { integrationId, recipient: visitor } = conversation;
    const [info] = await this.#store.chatFiles.list({ applicationId, integrationId, visitor }, [
      file,
    ]);
    if (!info) return undefined;
    const { mediaType, name } = info;
    return { integrationId, reference: file, mediaType, name, isUploaded: true } as const;
  }

  async fetch(
    applicationId: Id,
    reference: MediaReference,
    signal: AbortSignal,
  ): Promise<FoundFile> {
    const { integrationId, isUploaded } = reference;
    if (isUploaded) return this.#uploaded(applicationId, reference);
    const integration = await this.#store.integrations.get(applicationId, integrationId);
    const channel = integration && findChannel(integration.name);
    if (!channel) return { fault: 'the integration that received it is gone', isGone: true };
    return this.#channelCalls.fetchFile(integration, channel, reference, signal);
  }

  async #uploaded(
    applicationId: Id,
    { integrationId, reference }: MediaReference,
  ): Promise<FoundFile> {
    const file = await this.#store.chatFiles.get({ applicationId, integrationId }, reference);
    if (!file) return { fault: 'the uploaded file was removed', isGone: true };
    const { mediaType, name, size } = file;
    return { body: Readable.from([Buffer.from(file.bytes)]), mediaType, name, size };
  }
}
