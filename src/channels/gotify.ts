import type { FetchAnswer } from '../lib/http/fetch.ts';
import { integerMember, textMember } from '../lib/json/json-member.ts';
import { serverAddress } from '../lib/net/server-address.ts';
import { toMarkdownBlocks } from '../lib/rich-text/markdown.ts';
import { type RichText, charactersOf, isPlain } from '../lib/rich-text/rich-text.ts';
import { MARKDOWN as MARKDOWN_DELIMITERS, escapeMarkdown } from '../lib/rich-text/writers.ts';
import {
  type Destination,
  type Channel,
  type ChannelOption,
  type Context,
  type VendorRequest,
  matching,
} from './channel.ts';
import { SERVER_URL } from './credential-formats.ts';
import { failureClassifier } from './http-failure.ts';
import { urlRule } from './options.ts';
import { sentUnlessRefused } from './unexpected-success.ts';

/*
 * Gotify. https://gotify.net/docs/pushmsg
 * No limit is documented; a server with MySQL stores up to 65,535 bytes of text. There are no addresses: a message
 * goes to the owner of the application token, so the recipient is only a name. The token can send, but neither edit
 * nor delete.
 */
const OPTIONS: readonly ChannelOption[] = [
  {
    name: 'priority',
    label: 'Priority',
    help: 'From 0 to 10. By default, the priority of the application in Gotify.',
    rule: { type: 'integer', min: 0, max: 10 },
    link: 'https://gotify.net/docs/pushmsg',
  },
  {
    name: 'click',
    label: 'Click URL',
    help: 'The page that opens when people tap the notification.',
    rule: urlRule(2000),
    link: 'https://gotify.net/docs/msgextras#clientnotification',
  },
];

export const gotify: Channel = {
  name: 'gotify',
  title: 'Gotify',
  category: 'push',
  summary: 'Push notifications from your own server, for Android and browsers.',
  keywords: ['notification', 'self-hosted', 'alert', 'android'],
  docs: 'https://gotify.net/docs/pushmsg',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The URL of your Gotify server, such as https://push.example.com.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'token',
      label: 'Application token',
      help: 'In Gotify, open Apps > Create application and copy its token. It starts with A, or with gtfya as of Gotify 3. Client tokens (C…, gtfyc…) cannot send.',
      secret: true,
      format: {
        pattern: /^(?:A|gtfya)/,
        hint: 'Application tokens start with A or gtfya. Client tokens (C…, gtfyc…) cannot send.',
      },
    },
  ],
  needs: [['address', 'token']],
  recipient: {
    format: 'any name, up to 512 characters; the application token determines the recipient',
    example: 'ops',
    validate: matching(/^.{1,512}$/su, 'must be 1 to 512 characters'),
  },
  limits: [],
  text: {
    max: 65_535,
    unit: 'bytes',
    measure: (text) => Buffer.byteLength(text),
    write,
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    text: ({ text, rich }, to) => ({
      body: { ...titled(to), message: text, ...(!isPlain(rich) && { extras: MARKDOWN }) },
    }),
    // The notification shows the image, and the app shows it in the text.
    image: {
      maxCaptionLength: 30_000,
      compose: ({ url, name, caption: { rich } }, to) => {
        const image = `![${escapeMarkdown(name ?? 'image')}](<${encoded(url)}>)`;
        return {
          body: {
            ...titled(to),
            message:
              rich.length === 0
                ? image
                : `${toMarkdownBlocks(rich, MARKDOWN_DELIMITERS, LAYOUT)}\n\n${image}`,
            extras: { ...MARKDOWN, 'client::notification': { bigImageUrl: url } },
          },
        };
      },
    },
    title: 'the title of the notification',
    options: withOptions,
  },
  options: OPTIONS,

  async send({ body }, _message, context) {
    const answer = await post(body, context);
    const id = answer?.status === 200 ? idOf(answer) : undefined;
    if (id !== undefined) return { outcome: 'sent', id };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  /** An application token can only send. Gotify refuses an empty message, but checks the token first. */
  async check(context) {
    const answer = await post({}, context);
    const isEmptyMessage = answer?.status === 400 && errorOf(answer) === '400';
    if (isEmptyMessage)
      return { outcome: 'known', as: 'an application of this server', account: null };
    return classifyFailure(answer, context);
  },
};

/** https://gotify.net/docs/msgextras */
const MARKDOWN = { 'client::display': { contentType: 'text/markdown' } };

function withOptions(
  request: VendorRequest,
  { options: { priority, click } }: Destination,
): VendorRequest {
  const extras = Object(request.body['extras']) as Record<string, object>;
  const notification = { ...extras['client::notification'], click: { url: click } };
  return {
    ...request,
    body: {
      ...request.body,
      ...(priority !== undefined && { priority }),
      ...(click !== undefined && { extras: { ...extras, 'client::notification': notification } }),
    },
  };
}

const LAYOUT = { tables: true, headings: 6, rules: true };

/** Text without formatting is sent as plain text, so that nothing in it is read as markup. */
function write(rich: RichText): string {
  return isPlain(rich) ? charactersOf(rich) : toMarkdownBlocks(rich, MARKDOWN_DELIMITERS, LAYOUT);
}

function titled({ title }: Destination): object {
  return title === undefined ? {} : { title };
}

const encoded = (url: string) => url.replaceAll(/[<>\s]/g, encodeURIComponent);

/** Client tokens begin with C, from Gotify 3 on with gtfyc, and cannot send. */
const TOKEN = /^(?!C|gtfyc\.)[\x21-\x7e]{1,200}$/;

/** Undefined when the server address or the application token is malformed. */
async function post(
  body: object,
  { credentials: { address = '', token = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || !TOKEN.test(token)) return undefined;
  return fetch(`${base}/message`, {
    method: 'POST',
    headers: { 'x-gotify-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** The response repeats the text, so it may be truncated after a long one. The id comes first. */
function idOf(answer: FetchAnswer): string | undefined {
  if (!answer.truncated) return integerMember(answer.json(), 'id');
  return /^\s*\{\s*"id"\s*:\s*(\d{1,20})\s*,/.exec(answer.text)?.[1];
}

function errorOf(answer: FetchAnswer): string | undefined {
  return integerMember(answer.json(), 'errorCode');
}

/** Classifies a failed response. */
const classifyFailure = failureClassifier({
  vendor: 'Gotify',
  malformed: 'invalid server address or application token',
  isPrefixed: true,
  isOwnServer: true,
  read: (answer) => ({
    code: errorOf(answer),
    message: textMember(answer.json(), 'errorDescription'),
  }),
  // The application is the only possible recipient.
  blame: ({ status, message }) =>
    [401, 403, 404].includes(status) || message.includes('appid') ? 'credentials' : 'content',
});
