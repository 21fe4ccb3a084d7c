import { bytes, literal } from '../server/shape.ts';
import { TOKEN } from './graph.ts';
import { openSendApi } from './send-api.ts';

/** The account's own token; the other one is a page's. */
export const ACCOUNT_TOKEN = 'IGAAfakeTokenOfAnAccount';

/** https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/messaging-api */
export const openInstagram = async () =>
  openSendApi({
    messageText: bytes(1000),
    more: { 'messaging_type?': literal('MESSAGE_TAG'), 'tag?': literal('HUMAN_AGENT') },
    kinds: ['image', 'video', 'audio', 'file'],
    dials: false,
    names: { name: 'Example Page', username: 'example' },
    tokens: [TOKEN, ACCOUNT_TOKEN],
  });
