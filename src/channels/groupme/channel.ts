import { type FetchAnswer, type FetchRequest, beforeSending } from '../../lib/http/fetch.ts';
import { toFormFile } from '../../lib/http/multipart.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { listMember, member, textMember } from '../../lib/json/json-member.ts';
import {
  type Destination,
  type Blame,
  type Channel,
  type Context,
  type Failure,
  type MediaPart,
  type RequestFile,
  type Unsupported,
  type VendorRequest,
  fileOf,
  isFailure,
  matching,
  unsent,
} from '../channel.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readGroupMe } from './hook.ts';

/*
 * GroupMe. https://dev.groupme.com/docs/v3#bots_post
 * Text: 1,000 characters. A bot belongs to one group and posts there with its id alone; an access token posts as its
 * user, in any of the user's groups. Addresses: group ids.
 * GroupMe returns no ids for posts of bots, so only messages of users can be deleted.
 * Images are uploaded to the image service, which requires an access token:
 * https://dev.groupme.com/docs/image_service
 * Attachments, replies and deletion: https://github.com/groupme-js/GroupMeCommunityDocs
 */
export const groupme: Channel = {
  name: 'groupme',
  title: 'GroupMe',
  category: 'chat',
  summary: 'A bot in GroupMe groups.',
  keywords: ['group', 'microsoft'],
  docs: 'https://dev.groupme.com/docs/v3#bots_post',
  dashboard: 'https://dev.groupme.com',
  credentials: [
    {
      name: 'token',
      label: 'Bot ID',
      help: 'At dev.groupme.com/bots, choose or create your bot. Anyone with the ID can post, so keep it secret.',
      secret: true,
    },
    {
      name: 'secret',
      label: 'Access token',
      help: 'At dev.groupme.com, click Access Token at the top right.',
      secret: true,
    },
    {
      name: 'username',
      label: 'Bot name',
      help: 'The name of your bot at dev.groupme.com/bots.',
      secret: false,
    },
  ],
  needs: [['token'], ['secret']],
  needNames: ['Bot', 'Person'],
  recipient: {
    format: 'a group ID, all digits',
    example: '1234567890',
    validate: matching(/^\d{1,20}$/, 'must be a group ID, all digits'),
  },
  limits: [
    {
      what: '1,000 characters of text',
      link: 'https://dev.groupme.com/docs/v3#messages_create',
    },
  ],
  url: 'https://api.groupme.com/v3',
  text: { max: 1000, measure: (text) => text.length },
  renderers: {
    text: ({ text }, to) => post(to, { text }),
    image: {
      maxCaptionLength: 1000,
      compose: imageRequest,
    },
    video: {
      maxCaptionLength: 1000,
      compose: ({ url, preview = '', caption: { text } }, to) =>
        isAt('v.groupme.com', url) && isAt('v.groupme.com', preview)
          ? post(to, { text, attachments: [{ type: 'video', url, preview_url: preview }] })
          : {
              unsupported: 'GroupMe accepts only videos from its own video service, with a preview',
            },
    },
    place: ({ latitude, longitude, name = `${latitude}, ${longitude}` }, to) => {
      const location = { type: 'location', name, lat: String(latitude), lng: String(longitude) };
      return post(to, { text: name, attachments: [location] });
    },
    reply: (vendorRequest, id) =>
      attach(vendorRequest, { type: 'reply', reply_id: id, base_reply_id: id }),
  },

  async send(vendorRequest, { key }, context) {
    const image = vendorRequest.file && (await upload(vendorRequest.file, context));
    if (image && typeof image !== 'string') return image;
    const { call: path = '', body } = image
      ? attach(vendorRequest, { type: 'image', url: image })
      : vendorRequest;
    const { token, secret } = context.credentials;
    if (token !== undefined) {
      const answer = await callBot(path, { bot_id: token, ...body }, context);
      const isSent = answer?.status === 201 || answer?.status === 202;
      if (isSent) return { outcome: 'sent' };
      return sentUnlessRefused(answer, classifyFailure(answer, 'credentials', context));
    }
    // GroupMe drops messages that repeat a guid within a minute.
    const message = { source_guid: key, ...fieldsOf(body['message']) };
    const answer = await call(path, secret, context, jsonRequest({ message }));
    if (answer?.status === 409) return { outcome: 'sent' };
    const id = textMember(answer?.json(), 'response', 'message', 'id');
    const isSent = answer?.status === 201 && id !== undefined;
    if (isSent) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, 'recipient', context));
  },

  async remove({ id, recipient }, context) {
    const path = `conversations/${recipient}/messages/${encodeURIComponent(id)}`;
    const answer = await call(path, context.credentials.secret, context, { method: 'DELETE' });
    const isGone = answer && [200, 204, 404].includes(answer.status);
    if (isGone) return { outcome: 'sent' };
    return sentUnlessRefused(answer, classifyFailure(answer, 'recipient', context));
  },

  async check(context) {
    const { secret } = context.credentials;
    if (secret === undefined) {
      const detail = "checking a bot requires its owner's access token";
      return { outcome: 'permanent', blame: 'unsupported', detail };
    }
    const answer = await call('users/me', secret, context);
    const name = textMember(answer?.json(), 'response', 'name');
    const isKnown = answer?.status === 200 && name !== undefined;
    return isKnown
      ? { outcome: 'known', as: name }
      : classifyFailure(answer, 'credentials', context);
  },

  hook: {
    // GroupMe does not sign requests: the secret URL is the only protection.
    needs: [[]],
    setup: 'At dev.groupme.com/bots, choose your bot, then Edit > Callback URL.',
    verify: ({ method }) => (method === 'POST' ? undefined : 'the method must be POST'),
    parse: ({ body }) => readGroupMe(jsonBody(body)),
  },

  media(reference) {
    const { protocol, hostname = '' } = URL.parse(reference) ?? {};
    const isTheirs = protocol === 'https:' && /^[iv]\.groupme\.com$/.test(hostname);
    const detail = 'not a GroupMe media URL';
    return Promise.resolve(
      isTheirs ? { url: reference } : { outcome: 'permanent', blame: 'content', detail },
    );
  },
};

const isAt = (host: string, url: string) => URL.parse(url)?.hostname === host;

const IMAGES = 'https://image.groupme.com';
const TYPES = /^image\/(png|jpe?g|gif)$/i;

/** Images on the image service are used as they are; others are uploaded, which requires an access token. */
function imageRequest(part: MediaPart, to: Destination): VendorRequest | Unsupported {
  const { url, mediaType = 'image/png', caption } = part;
  const { text } = caption;
  if (isAt('i.groupme.com', url)) return post(to, { text, attachments: [{ type: 'image', url }] });
  if (!TYPES.test(mediaType)) return { unsupported: 'GroupMe accepts PNG, JPEG and GIF images' };
  if (to.credentials.secret === undefined) {
    return {
      unsupported: "sending images as a bot requires its owner's access token",
    };
  }
  return { ...post(to, { text }), file: fileOf(part) };
}

/** The URL of the uploaded image, or the failure. */
async function upload(file: RequestFile, context: Context): Promise<string | Failure> {
  const { url, credentials, fetch } = context;
  const { secret: token = '' } = credentials;
  const downloaded = await context.download(file.url, { maxBytes: Number.POSITIVE_INFINITY });
  if (isFailure(downloaded)) return downloaded;
  if (!TOKEN.test(token)) return classifyFailure(undefined, 'credentials', context);
  const { mediaType, bytes } = toFormFile(file, downloaded);
  const answer = await beforeSending(async () =>
    // A configured URL replaces both services.
    fetch(`${url === groupme.url ? IMAGES : url}/pictures`, {
      method: 'POST',
      headers: { 'x-access-token': token, 'content-type': mediaType },
      body: bytes,
    }),
  );
  const uploaded = textMember(answer.json(), 'payload', 'url');
  if (answer.status < 300 && uploaded !== undefined) return uploaded;
  const failure = unsent(classifyFailure(answer, 'credentials', context));
  const isRefused = [400, 413, 415, 422].includes(answer.status);
  if (!isRefused) return failure;
  return {
    outcome: 'permanent',
    blame: 'content',
    detail: failure.detail,
    code: `${answer.status}`,
  };
}

/** A bot posts to its own group, regardless of the address; a user must name one. */
function post({ recipient, credentials }: Destination, message: object): VendorRequest {
  return credentials.token === undefined
    ? { call: `groups/${recipient}/messages`, body: { message } }
    : { call: 'bots/post', body: { ...message } };
}

function attach({ body, ...vendorRequest }: VendorRequest, attachment: object): VendorRequest {
  const isWrapped = body['message'] !== undefined;
  const message = isWrapped ? fieldsOf(body['message']) : body;
  const { attachments } = message;
  const existing: unknown[] = Array.isArray(attachments) ? attachments : [];
  const extended = { ...message, attachments: [...existing, attachment] };
  return { ...vendorRequest, body: isWrapped ? { message: extended } : extended };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

const jsonRequest = (body: object): FetchRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const TOKEN = /^[\x21-\x7e]{1,200}$/;

/** Undefined when the bot id is malformed. */
async function callBot(
  path: string,
  body: { bot_id: string },
  { url, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  return TOKEN.test(body.bot_id) ? fetch(`${url}/${path}`, jsonRequest(body)) : undefined;
}

/** Undefined when the token contains characters that headers cannot hold. */
async function call(
  path: string,
  token = '',
  { url, fetch }: Context,
  request: FetchRequest = {},
): Promise<FetchAnswer | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const headers = { ...request.headers, 'x-access-token': token };
  return fetch(`${url}/${path}`, { ...request, headers });
}

/** Classifies a failed response; `blameFor404` also applies to 403. */
function classifyFailure(answer: FetchAnswer | undefined, blameFor404: Blame, context: Context) {
  return failureClassifier({
    vendor: 'GroupMe',
    malformed: 'invalid bot ID or access token',
    read(response) {
      const meta = member(response.json(), 'meta');
      const errors = listMember(meta, 'errors');
      return { message: errors.map(String).join('; '), isVendorFormat: meta !== undefined };
    },
    rateLimit({ status, answer: { text } }) {
      // GroupMe bans a client for a while if it exceeds the rate limit.
      const isBan = status === 403 && /too many|banned/i.test(text);
      return status === 429 || status === 420 || isBan ? 'integration' : undefined;
    },
    exception: ({ status }) => (status === 401 ? 'permanent' : undefined),
    blame({ status }) {
      if (status === 401) return 'credentials';
      return status === 403 || status === 404 ? blameFor404 : 'content';
    },
  })(answer, context);
}
