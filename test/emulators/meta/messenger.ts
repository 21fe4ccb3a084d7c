import { literal, oneOf, text } from '../server/shape.ts';
import { TOKEN } from './graph.ts';
import { openSendApi } from './send-api.ts';

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages */
export const openMessenger = async () =>
  openSendApi({
    messageText: text(2000),
    more: {
      messaging_type: oneOf(literal('RESPONSE'), literal('MESSAGE_TAG')),
      'tag?': literal('HUMAN_AGENT'),
      'notification_type?': literal('SILENT_PUSH'),
    },
    kinds: ['image', 'video', 'audio', 'file'],
    dials: true,
    names: { name: 'Example Page' },
    tokens: [TOKEN],
  });
