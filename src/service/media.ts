import { MediaUrls } from '../compose/media-urls.ts';
import type { ChannelCalls } from '../deliver/channel-calls.ts';
import { MessageImages } from '../deliver/media/message-images.ts';
import { ReceivedFiles } from '../deliver/media/received-files.ts';
import type { Core } from './core.ts';

/** Files that people sent, and the URLs at which vendors fetch them. */
export interface Media {
  urls: MediaUrls;
  find: ReceivedFiles['find'];
  fetch: ReceivedFiles['fetch'];
  images: MessageImages;
}

export function buildMedia(
  { store, clock, config, address, network }: Core,
  channelCalls: ChannelCalls,
): Media {
  const files = new ReceivedFiles(store, channelCalls);
  const urls = new MediaUrls({
    clock,
    signer: store.signer,
    publicUrl: config.publicUrl,
    listening: () => address.listenUrl,
  });
  return {
    urls,
    find: (place) => files.find(place),
    fetch: (...args) => files.fetch(...args),
    images: new MessageImages({
      network,
      received: files,
      placeAt: (url, applicationId) => urls.placeAt(url, applicationId),
    }),
  };
}
