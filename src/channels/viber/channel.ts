import { createHmac } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { VIBER_FORMATS } from '../../lib/rich-text/accidental-formats.ts';
import { type Delimiters, hasClash, withDelimiters } from '../../lib/rich-text/writers.ts';
import { fileName } from '../../lib/text/file-name.ts';
import { payloadOf } from '../../model/button.ts';
import {
  type Destination,
  type Button,
  type Channel,
  type Context,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
} from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { MAX_TRACKING_LENGTH, writePresses } from './button-values.ts';
import { EVENTS, readViber } from './hook.ts';

/*
 * Viber bots. https://creators.viber.com/docs/bots-api/resources/messaging/send-message
 * Text: 7,000 characters; 30 KB per request. 100 messages an hour to a user who does not reply.
 * Viber fetches media from their URLs. It requires the size of videos and files, so we download those first to
 * measure them. Neither has a caption.
 * Addresses: the id that Viber assigns a user for this bot, in base64. New bots require a commercial contract since
 * February 2024.
 */
export const viber: Channel = {
  name: 'viber',
  title: 'Viber',
  category: 'chat',
  summary: 'A Viber bot, for Eastern Europe and Southeast Asia.',
  keywords: ['rakuten'],
  docs: 'https://creators.viber.com/docs/bots-api/resources/messaging/send-message',
  dashboard: 'https://partners.viber.com',
  credentials: [
    {
      name: 'token',
      label: 'Authentication token',
      help: 'In Viber, open More > Settings > Bots > Edit info > Your app key, or the page of the bot at partners.viber.com. Also verifies webhook requests from Viber.',
      secret: true,
      format: {
        pattern: /^[\da-f]{16}(?:-[\da-f]{16}){2}$/,
        hint: 'Authentication tokens have three groups of 16 hexadecimal digits.',
      },
    },
    {
      name: 'username',
      label: 'Sender name',
      help: 'The name shown above the message, up to 28 characters.',
      secret: false,
      format: { pattern: /^\S.{0,27}$/, hint: 'Sender names have up to 28 characters.' },
    },
  ],
  needs: [['token', 'username']],
  recipient: {
    format: 'the ID of a person who subscribed or wrote to the bot, in base64',
    example: '01234567890A=',
    validate: matching(
      /^[A-Za-z0-9+/]{1,128}={0,2}$/,
      'must be a Viber user ID: base64, such as 01234567890A=',
    ),
  },
  limits: [
    {
      what: '7,000 characters of text',
      link: 'https://developers.viber.com/docs/api/rest-bot-api/#text-message',
    },
    {
      what: '30 KB per request; 100 messages per hour to a person who does not reply',
      link: 'https://creators.viber.com/docs/bots-api/resources/messaging/send-message',
    },
    {
      what: '1 MB per image, 26 MB per video (MP4), 50 MB per file',
      link: 'https://developers.viber.com/docs/api/rest-bot-api/#video-message',
    },
  ],
  url: 'https://chatapi.viber.com/pa',
  text: {
    max: 7000,
    measure: (text) => text.length,
    write: (rich) => withDelimiters(rich, DELIMITERS),
    clashes: (rich) => hasClash(rich, DELIMITERS),
    formats: () => VIBER_FORMATS,
  },
  renderers: {
    text: ({ text }, to) => message(to, { type: 'text', text }),
    image: {
      maxCaptionLength: 512,
      compose: ({ url, caption }, to) =>
        IMAGE.test(url)
          ? message(to, { type: 'picture', text: caption.text, media: url })
          : {
              unsupported: 'Viber accepts image URLs ending in .jpeg, .png or .gif only',
            },
    },
    video: {
      maxCaptionLength: 0,
      compose: (part, to) =>
        VIDEO.test(part.url)
          ? { ...message(to, { type: 'video', media: part.url }), file: measured(part) }
          : { unsupported: 'Viber accepts video URLs ending in .mp4 only' },
    },
    document: {
      maxCaptionLength: 0,
      compose: (part, to) => {
        const { url, name, mediaType = '' } = part;
        const file_name = fileName(url, name, mediaType);
        return { ...message(to, { type: 'file', media: url, file_name }), file: measured(part) };
      },
    },
    place: ({ latitude, longitude }, to) =>
      message(to, { type: 'location', location: { lat: latitude, lon: longitude } }),
    omitsPlaceNames: true,
    buttons: {
      max: 24,
      // 250 when escaped.
      maxLabelLength: 50,
      kinds: ['link', 'reply'],
      withMedia: true,
      isTransitory: true,
      payload: { max: 250, unit: 'characters' },
      add: addKeyboard,
    },
  },

  async send({ body, file }, _message, context) {
    const maxBytes = body['type'] === 'video' ? MAX_VIDEO_BYTES : Number.POSITIVE_INFINITY;
    const downloaded = file && (await context.download(file.url, { maxBytes }));
    if (isFailure(downloaded)) return downloaded;
    const size = downloaded && { size: downloaded.bytes.length };
    const answer = await call('send_message', { ...body, ...size }, context);
    if (!isOk(answer)) return sentUnlessRefused(answer, classifyFailure(answer, context));
    const id = integerMember(answer?.json(), 'message_token');
    return { outcome: 'sent', ...(id !== undefined && { id }) };
  },

  async check(context) {
    const answer = await call('get_account_info', {}, context);
    const name = textMember(answer?.json(), 'name');
    return isOk(answer) && name !== undefined
      ? { outcome: 'known', as: name }
      : classifyFailure(answer, context);
  },

  hook: {
    needs: [['token']],
    setup:
      'Viber has no page for this. Enable the integration, then let Switchboard register the URL.',
    verify({ header, body }, { credentials: { token = '' } }) {
      if (token === '') return 'the integration has no authentication token';
      const signature = createHmac('sha256', token).update(body).digest('hex');
      return equalInConstantTime(signature, header('x-viber-content-signature')?.toLowerCase())
        ? undefined
        : 'the signature does not match';
    },
    parse: ({ body }) => readViber(jsonBody(body)),
    // Viber calls the URL before it responds: https://creators.viber.com/docs/bots-api/resources/webhooks
    async register(url, context) {
      const answer = await call(
        'set_webhook',
        { url, event_types: EVENTS, send_name: true },
        context,
      );
      return isOk(answer)
        ? { outcome: 'known', as: context.credentials.username ?? '' }
        : classifyFailure(answer, context);
    },
  },
  receipts: ['delivered', 'read', 'failed'],

  // Received files have public URLs that expire.
  media(reference) {
    const detail = 'not a Viber media URL';
    return Promise.resolve(
      URL.parse(reference)?.protocol === 'https:'
        ? { url: reference }
        : { outcome: 'permanent', blame: 'content', detail },
    );
  },
};

const measured = (part: MediaPart): RequestFile => ({ ...fileOf(part), isMeasured: true });

/** Viber recognizes images by the end of the path. */
const IMAGE = /^[^?#]+\.(?:jpe?g|png|gif)(?:[?#]|$)/i;
const VIDEO = /^[^?#]+\.mp4(?:[?#]|$)/i;
const MAX_VIDEO_BYTES = 26_000_000;

function message({ recipient, credentials }: Destination, content: object): VendorRequest {
  return {
    body: { receiver: recipient, sender: { name: credentials.username ?? '' }, ...content },
  };
}

/** Viber's markup has no escape. https://help.viber.com/hc/en-us/articles/8892452180125 */
const DELIMITERS: Delimiters = { bold: '*', italic: '_', strike: '~', code: '```', block: '```' };

const MAX_REQUEST_LENGTH = 30_000;

/** Long URLs may take more space than the text. */
function addKeyboard(
  request: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const keyboard = { Type: 'keyboard', DefaultHeight: false, Buttons: buttons.map(toKey) };
  const tracking_data = writePresses(buttons);
  if (tracking_data.length > MAX_TRACKING_LENGTH) {
    return {
      unsupported: `Viber accepts at most ${MAX_TRACKING_LENGTH} characters of button names and values`,
    };
  }
  const body = { ...request.body, keyboard, ...(tracking_data !== '' && { tracking_data }) };
  return Buffer.byteLength(JSON.stringify(body)) > MAX_REQUEST_LENGTH
    ? { unsupported: 'Viber accepts at most 30 KB of text and buttons' }
    : { ...request, body };
}

/** The label of a button is HTML. https://creators.viber.com/docs/bots-api/resources/messaging/keyboards */
function toKey(button: Button): object {
  const { name, url } = button;
  const Text = name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const action = url === undefined ? ['reply', payloadOf(button)] : ['open-url', url];
  return { Columns: 6, Rows: 1, ActionType: action[0], ActionBody: action[1], Text };
}

const TOKEN = /^[\x21-\x7e]{1,200}$/;
const MAX_NAME_LENGTH = 28;

/** Undefined when the token contains characters that headers cannot hold, or the sender name is invalid. */
async function call(
  method: string,
  parameters: object,
  { credentials: { token = '', username = '' }, url, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token) || username.trim() === '' || username.length > MAX_NAME_LENGTH) {
    return undefined;
  }
  return fetch(`${url}/${method}`, {
    method: 'POST',
    headers: { 'x-viber-auth-token': token, 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
}

function statusOf(answer: FetchAnswer | undefined): string | undefined {
  return integerMember(answer?.json(), 'status');
}

const isOk = (answer: FetchAnswer | undefined) => statusOf(answer) === '0';

/** Classifies a failed response; Viber's refusals have HTTP status 200. https://creators.viber.com/docs/bots-api/errors */
const classifyFailure = failureClassifier({
  vendor: 'Viber',
  malformed: `invalid token, or sender name empty or longer than ${MAX_NAME_LENGTH} characters`,
  errorsIn2xx: true,
  read: (answer) => ({
    code: statusOf(answer),
    message: textMember(answer.json(), 'status_message'),
  }),
  rateLimit({ status, code }) {
    if (status === 429) return 'integration';
    // 100 messages within an hour without a reply.
    return code === '12' ? 'recipient' : undefined;
  },
  exception: ({ code }) => (code === '0' || code === '-1' ? 'maybe sent' : undefined),
  codes: {
    // The token, the account (blocked, suspended, without webhook, unauthorized), its quota and its balance.
    credentials: ['2', '7', '8', '9', '10', '15', '18', '23', '24'],
    // Not registered, not subscribed, no supported device, or in a country without bots.
    recipient: ['5', '6', '11', '13', '21'],
  },
});
