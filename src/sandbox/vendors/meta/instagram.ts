import { bytes, literal } from '../../wire/shape.ts';
import { TOKEN } from './graph.ts';
import { SILENT, sendApi } from './send-api.ts';

/** A token of an Instagram account; `TOKEN` is that of a Facebook page. */
export const ACCOUNT_TOKEN = 'IGAAfakeTokenOfAnAccount';

/** https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api */
export const instagram = sendApi({
  channel: 'instagram',
  credentials: {
    token: ACCOUNT_TOKEN,
    secret: 'fake-verify-token',
    consumer_secret: 'fake-app-secret',
  },
  tokens: [TOKEN, ACCOUNT_TOKEN],
  people: [
    { address: '4012345678901234', name: 'Ada Example' },
    { address: '4012345678901235', name: 'Grace Example' },
    SILENT,
  ],
  object: 'instagram',
  messageText: bytes(1000),
  extraFields: { 'messaging_type?': literal('MESSAGE_TAG'), 'tag?': literal('HUMAN_AGENT') },
  hasPhoneButtons: false,
  names: { name: 'Example Page', username: 'example' },
  receipts: ['read'],
});
