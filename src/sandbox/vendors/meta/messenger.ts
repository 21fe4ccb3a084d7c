import { literal, oneOf, text } from '../../wire/shape.ts';
import { TOKEN } from './graph.ts';
import { SILENT, sendApi } from './send-api.ts';

/** https://developers.facebook.com/documentation/business-messaging/messenger-platform/send-messages */
export const messenger = sendApi({
  channel: 'messenger',
  credentials: { token: TOKEN, secret: 'fake-verify-token', consumer_secret: 'fake-app-secret' },
  tokens: [TOKEN],
  people: [
    { address: '4012345678901234', name: 'Ada Example' },
    { address: '4012345678901235', name: 'Grace Example' },
    SILENT,
  ],
  object: 'page',
  messageText: text(2000),
  extraFields: {
    messaging_type: oneOf(literal('RESPONSE'), literal('MESSAGE_TAG')),
    'tag?': literal('HUMAN_AGENT'),
    'notification_type?': literal('SILENT_PUSH'),
  },
  hasPhoneButtons: true,
  names: { name: 'Example Page' },
  receipts: ['delivered', 'read'],
});
