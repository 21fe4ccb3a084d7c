import type { FetchAnswer } from '../lib/http/fetch.ts';
import { integerMember, textMember } from '../lib/json/json-member.ts';
import { serverAddress } from '../lib/net/server-address.ts';
import { toMarkdownBlocks } from '../lib/rich-text/markdown.ts';
import { type RichText, charactersOf, isPlain } from '../lib/rich-text/rich-text.ts';
import { MARKDOWN as MARKDOWN_DELIMITERS } from '../lib/rich-text/writers.ts';
import { fileName } from '../lib/text/file-name.ts';
import {
  type Destination,
  type Button,
  type Channel,
  type ChannelOption,
  type Context,
  type MediaRenderer,
  type TextPart,
  type Unsupported,
  type VendorRequest,
  matching,
} from './channel.ts';
import { SERVER_URL } from './credential-formats.ts';
import { failureClassifier } from './http-failure.ts';
import { urlRule } from './options.ts';
import { sentUnlessRefused } from './unexpected-success.ts';

/*
 * ntfy. https://docs.ntfy.sh/publish/#publish-as-json
 * Text: 4,095 bytes. Version 2.27 responds with 500 (code 50001) to 4,096 bytes, although the documentation allows
 * them, and turns longer texts into attachments. A message without text arrives as "triggered". ntfy.sh allows a
 * burst of 60 requests, then one every 5 seconds, and 250 messages a day; other servers and accounts may differ.
 * Addresses: topics.
 */
const MAX_TEXT_BYTES = 4095;

const PRIORITIES = ['min', 'low', 'default', 'high', 'max'] as const;
/** In characters. Leaves room for the other fields of a request. */
const MAX_URL_LENGTH = 300;
const MAX_TAGS_LENGTH = 50;

const OPTIONS: readonly ChannelOption[] = [
  {
    name: 'priority',
    label: 'Priority',
    help: 'The sound and vibration of the notification. Without it, ntfy uses default.',
    rule: { type: 'choice', choices: PRIORITIES },
    link: 'https://docs.ntfy.sh/publish/#message-priority',
  },
  {
    name: 'tags',
    label: 'Tags',
    help: 'Tags separated by commas. Names of emoji are shown as emoji before the title.',
    rule: { type: 'text', maxLength: MAX_TAGS_LENGTH, example: 'warning,backup' },
    link: 'https://docs.ntfy.sh/publish/#tags-emojis',
  },
  {
    name: 'click',
    label: 'Click URL',
    help: 'The page that opens when people tap the notification.',
    rule: urlRule(MAX_URL_LENGTH),
    link: 'https://docs.ntfy.sh/publish/#click-action',
  },
  {
    name: 'icon',
    label: 'Icon URL',
    help: 'A JPEG or PNG image that is shown beside the text.',
    rule: urlRule(MAX_URL_LENGTH, 'https://example.com/icon.png'),
    link: 'https://docs.ntfy.sh/publish/#icons',
  },
];

export const ntfy: Channel = {
  name: 'ntfy',
  title: 'ntfy',
  category: 'push',
  summary: 'Push notifications to phones and browsers that follow a topic.',
  keywords: ['notification', 'self-hosted', 'alert', 'android', 'ios', 'iphone'],
  docs: 'https://docs.ntfy.sh/publish/',
  dashboard: 'https://ntfy.sh/app',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'https://ntfy.sh, or the address of your own server.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'token',
      label: 'Access token',
      help: 'In the web app, open Account > Access tokens > Create; on your own server, run ntfy token add. It starts with tk_. Leave it empty for public topics.',
      secret: true,
      format: { pattern: /^tk_/, hint: 'Access tokens start with tk_.' },
    },
  ],
  needs: [['address']],
  recipient: {
    format: 'a topic: 1 to 64 letters, digits, _ and -',
    example: 'switchboard-alerts',
    validate: matching(
      /^[A-Za-z0-9_-]{1,64}$/,
      'must be a topic: 1 to 64 letters, digits, _ and -',
    ),
  },
  limits: [
    {
      what: '4,095 bytes of text; longer text would arrive as an attachment',
      link: 'https://docs.ntfy.sh/publish/#limitations',
    },
    {
      what: '60 requests at once, then 1 every 5 seconds, and 250 messages per day at ntfy.sh; other servers may differ',
      link: 'https://docs.ntfy.sh/publish/#limitations',
    },
  ],
  text: { max: MAX_TEXT_BYTES, unit: 'bytes', measure, write, shows: ['lists', 'headings'] },
  renderers: {
    text: (part, to) => ({ body: { ...topicAndTitle(to), ...textFields(part) } }),
    image: mediaRenderer(),
    video: mediaRenderer(),
    audio: mediaRenderer(),
    document: mediaRenderer(),
    // https://docs.ntfy.sh/publish/#action-buttons: http, https and mailto
    buttons: {
      max: 3,
      maxLabelLength: 100,
      kinds: ['link', 'mailto'],
      withMedia: true,
      add: addActions,
    },
    title: 'the title of the notification',
    titleLimit: { max: 500, measure: bytesInJson },
    options: withOptions,
  },
  options: OPTIONS,

  async send({ body }, _message, context) {
    const answer = await call('POST', '/', body, context);
    const id = textMember(answer?.json(), 'id');
    if (isOk(answer) && id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  // https://docs.ntfy.sh/publish/#updating-deleting-notifications
  async edit({ id }, { body }, context) {
    const answer = await call('POST', '/', { ...body, sequence_id: id }, context);
    const newId = textMember(answer?.json(), 'id');
    if (!isOk(answer) || newId === undefined)
      return sentUnlessRefused(answer, classifyFailure(answer, context), id);
    if (textMember(answer?.json(), 'sequence_id') === id) return { outcome: 'sent', id };
    const detail =
      'this server does not support updates (ntfy 2.16 or later); the message was sent again';
    return { outcome: 'sent', id: newId, detail };
  },

  async remove({ id, recipient }, context) {
    const path = `/${encodeURIComponent(recipient)}/${encodeURIComponent(id)}`;
    const answer = await call('DELETE', path, undefined, context);
    if (isOk(answer)) return { outcome: 'sent' };
    const failure = classifyFailure(answer, context);
    // Servers before 2.16 do not have this endpoint.
    const isUnknown = [404, 405].includes(answer?.status ?? 0) && failure.outcome === 'permanent';
    if (isUnknown) return { ...failure, blame: 'unsupported' };
    return sentUnlessRefused(answer, failure);
  },

  async check(context) {
    const answer = await call('GET', '/v1/account', undefined, context);
    const name = textMember(answer?.json(), 'username');
    if (!isOk(answer) || name === undefined) return classifyFailure(answer, context);
    if (name === '*') return { outcome: 'known', as: 'anybody, without a token', account: null };
    return { outcome: 'known', as: name };
  },
};

/** A server reads twice the maximum text size, 8,192 bytes; the rest is for options and the id of the replaced message. */
const MAX_REQUEST_LENGTH = 7200;

function addActions(
  request: VendorRequest,
  buttons: readonly Button[],
): VendorRequest | Unsupported {
  const actions = buttons.map(({ name, url }) => ({ action: 'view', label: name, url }));
  const body = { ...request.body, actions };
  return bytesInJson(body) > MAX_REQUEST_LENGTH
    ? { unsupported: 'ntfy accepts at most 8 KB of text, buttons and options' }
    : { ...request, body };
}

function withOptions(
  request: VendorRequest,
  { options: { priority, tags, click, icon } }: Destination,
): VendorRequest {
  const level = PRIORITIES.findIndex((name) => name === priority) + 1;
  const names = String(tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    ...request,
    body: {
      ...request.body,
      ...(level > 0 && { priority: level }),
      ...(names.length > 0 && { tags: names }),
      ...(click !== undefined && { click }),
      ...(icon !== undefined && { icon }),
    },
  };
}

const LAYOUT = { tables: false, headings: 6, rules: true };

/** Text without formatting is sent as plain text, so that nothing in it is read as markup. */
function write(rich: RichText): string {
  return isPlain(rich) ? charactersOf(rich) : toMarkdownBlocks(rich, MARKDOWN_DELIMITERS, LAYOUT);
}

/**
 * In bytes, scaled so that the text takes at most 6,500 bytes in JSON: the server reads at most 8,192 bytes of a
 * request, and the rest is for the title and the other fields.
 */
function measure(text: string): number {
  return Math.max(Buffer.byteLength(text), Math.ceil((bytesInJson(text) * MAX_TEXT_BYTES) / 6500));
}

function bytesInJson(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function topicAndTitle({ recipient, title }: Destination): object {
  return { topic: recipient, ...(title !== undefined && { title }) };
}

function textFields({ text, rich }: TextPart): object {
  return { ...(text !== '' && { message: text }), ...(!isPlain(rich) && { markdown: true }) };
}

/** https://docs.ntfy.sh/publish/#attach-file-from-a-url */
function mediaRenderer(): MediaRenderer {
  return {
    maxCaptionLength: MAX_TEXT_BYTES,
    compose: ({ url, name, mediaType = '', caption }, to) => {
      const body = {
        ...topicAndTitle(to),
        message: fileName(url, name, mediaType),
        ...textFields(caption),
        attach: url,
        ...(name !== undefined && { filename: name }),
      };
      return bytesInJson(body) > MAX_REQUEST_LENGTH
        ? { unsupported: 'ntfy accepts at most 8 KB of text, URL and options' }
        : { body };
    },
  };
}

const TOKEN = /^[\x21-\x7e]{0,500}$/;

/** Undefined when the server address is malformed, or the token contains characters that headers cannot hold. */
async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body: object | undefined,
  { credentials: { address = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !TOKEN.test(token)) return undefined;
  return fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function isOk(answer: FetchAnswer | undefined): boolean {
  return answer?.status === 200 && answer.json() !== undefined;
}

/** The server's responses do not say when it accepts another request. */
const DEFAULT_RETRY_SECONDS = 5;
const DAILY = new Map([
  ['42905', 3600],
  ['42908', 3600],
]);

/** Classifies a failed response. https://github.com/binwiederhier/ntfy/blob/main/server/errors.go */
const classifyFailure = failureClassifier({
  vendor: 'ntfy',
  malformed: 'invalid server address or access token',
  isPrefixed: true,
  isOwnServer: true,
  read: (answer) => ({
    code: integerMember(answer.json(), 'code'),
    message: textMember(answer.json(), 'error'),
  }),
  retrySeconds: (answer) =>
    DAILY.get(integerMember(answer.json(), 'code') ?? '') ?? DEFAULT_RETRY_SECONDS,
  // The topic has no subscriber yet.
  exception: ({ status }) => (status === 507 ? 'permanent' : undefined),
  codes: {
    // ntfy returns the latter for unknown paths, so `address` is wrong.
    credentials: ['40101', '40401'],
    // The topic is write-protected or invalid, or has no subscriber yet.
    recipient: ['40301', '40009', '40010', '50701'],
  },
});
