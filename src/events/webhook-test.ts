import type { Channel } from '../channels/channel.ts';
import { endpoint } from './endpoint.ts';

/** A one-shot endpoint that records the request headers. */
export function recordingEndpoint(): { channel: Channel; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  const channel: Channel = {
    ...endpoint,
    async send(vendorRequest, message, context) {
      const { send } = endpoint;
      if (!send) throw new Error('webhook channel cannot send');
      return send(vendorRequest, message, {
        ...context,
        fetch(url, request) {
          Object.assign(headers, request?.headers);
          return context.fetch(url, request);
        },
      });
    },
  };
  return { channel, headers };
}
