import { createHash, createHmac, randomBytes } from 'node:crypto';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';
import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { jsonBody } from '../../lib/json/json-body.ts';
import { integerMember, textMember } from '../../lib/json/json-member.ts';
import { serverAddress } from '../../lib/net/server-address.ts';
import { countCodePoints } from '../../lib/text/code-points.ts';
import {
  type Channel,
  type Context,
  type Unsupported,
  type VendorRequest,
  matching,
} from '../channel.ts';
import { SERVER_URL } from '../credential-formats.ts';
import { failureClassifier } from '../http-failure.ts';
import { sentUnlessRefused } from '../unexpected-success.ts';
import { readNextcloudTalk } from './hook.ts';
import { TALK_FORMATS, toTalk } from './text.ts';

/*
 * Bots of Nextcloud Talk. https://nextcloud-talk.readthedocs.io/en/latest/bots/
 * Text: 32,000 code points of Markdown, without spaces at the ends. Ids: positive integers, of received messages only:
 * the response to a sent message has none, so it cannot be edited or deleted. Bots cannot upload files.
 * `referenceId` identifies a message in the chat, but the server does not deduplicate by it.
 * Nextcloud slows down and then refuses a client with many failed signatures (429).
 */
export const nextcloudTalk: Channel = {
  name: 'nextcloud-talk',
  title: 'Nextcloud Talk',
  category: 'team-chat',
  summary: 'A bot in conversations of Nextcloud Talk.',
  keywords: ['self-hosted', 'team', 'nextcloud', 'spreed'],
  docs: 'https://nextcloud-talk.readthedocs.io/en/latest/bots/#sending-a-chat-message',
  credentials: [
    {
      name: 'address',
      label: 'Server URL',
      help: 'The URL of your Nextcloud server, such as https://cloud.example.com.',
      secret: false,
      format: SERVER_URL,
    },
    {
      name: 'secret',
      label: 'Bot secret',
      help: 'The secret of the bot, 40 to 128 characters: an administrator sets it with occ talk:bot:install.',
      secret: true,
    },
  ],
  needs: [['address', 'secret']],
  recipient: {
    format:
      'a conversation token: 4 to 30 lower-case letters and digits, the end of the link to the conversation',
    example: 'n3xtc10ud',
    validate: matching(
      /^[a-z0-9]{4,30}$/,
      'must be a conversation token: 4 to 30 lower-case letters and digits',
    ),
  },
  limits: [
    {
      what: '32,000 characters of text',
      link: 'https://nextcloud-talk.readthedocs.io/en/latest/bots/#sending-a-chat-message',
    },
  ],
  text: {
    max: 32_000,
    measure: countCodePoints,
    write: toTalk,
    formats: () => TALK_FORMATS,
    shows: ['lists', 'tables', 'headings'],
  },
  renderers: {
    text: ({ text }, { recipient }) => ({
      call: `bot/${recipient}/message`,
      body: { message: text },
    }),
    reply: (request, id) => withId('replyTo', request, id),
    thread: (request, id) => withId('threadId', request, id),
    options: (request, { options: { silent } }) =>
      silent === undefined ? request : { ...request, body: { ...request.body, silent } },
  },
  options: [
    {
      name: 'silent',
      label: 'Silent',
      help: 'Sends without notifications. False by default.',
      rule: { type: 'boolean' },
      link: 'https://nextcloud-talk.readthedocs.io/en/latest/bots/#sending-a-chat-message',
    },
  ],

  async send({ call: path = '', body }, { key }, context) {
    const referenceId = createHash('sha256').update(key).digest('hex');
    const answer = await call(path, { ...body, referenceId }, context);
    const isSent = answer?.status === 201 && statusOf(answer) !== undefined;
    if (isSent) return { outcome: 'sent' };
    return sentUnlessRefused(answer, classifyFailure(answer, context));
  },

  hook: {
    needs: [['secret']],
    setup:
      'On the Nextcloud server, run occ talk:bot:install --feature webhook --feature response NAME SECRET URL, with the secret and this URL. Then enable the bot in each conversation, under Conversation settings > Bots.',
    verify({ body, header }, { credentials: { secret = '' } }) {
      const random = header('x-nextcloud-talk-random');
      const signature = header('x-nextcloud-talk-signature')?.toLowerCase();
      if (secret === '' || random === undefined) return 'the request is not signed';
      const mac = createHmac('sha256', secret).update(random).update(body).digest('hex');
      return equalInConstantTime(mac, signature) ? undefined : 'the signature does not match';
    },
    parse: ({ body }) => readNextcloudTalk(jsonBody(body)),
  },
};

const ID = /^[1-9]\d{0,14}$/;

function withId(
  field: 'replyTo' | 'threadId',
  request: VendorRequest,
  id: string,
): VendorRequest | Unsupported {
  if (!ID.test(id)) return { unsupported: 'Nextcloud Talk IDs are integers of up to 15 digits' };
  return { ...request, body: { ...request.body, [field]: Number(id) } };
}

/** Undefined when the server address is malformed, or there is no secret. */
async function call(
  path: string,
  body: VendorRequest['body'],
  { credentials: { address = '', secret = '' }, fetch }: Context,
): Promise<FetchAnswer | undefined> {
  const base = serverAddress(address);
  if (base === undefined || secret === '') return undefined;
  const random = randomBytes(32).toString('hex');
  // Only the text is signed, not the other fields.
  const signed = `${random}${String(body['message'])}`;
  return fetch(`${base}/ocs/v2.php/apps/spreed/api/v1/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'ocs-apirequest': 'true',
      'x-nextcloud-talk-bot-random': random,
      'x-nextcloud-talk-bot-signature': createHmac('sha256', secret).update(signed).digest('hex'),
    },
    body: JSON.stringify(body),
  });
}

/** Every response of Nextcloud's API has its status in the body too. */
const statusOf = (answer: FetchAnswer) => integerMember(answer.json(), 'ocs', 'meta', 'statuscode');

/** Classifies a failed response. Talk sends no message with its errors. */
const classifyFailure = failureClassifier({
  vendor: 'Nextcloud Talk',
  malformed: 'invalid server address, or no bot secret',
  isPrefixed: true,
  isOwnServer: true,
  read: (answer) => ({
    code: statusOf(answer),
    message: textMember(answer.json(), 'ocs', 'meta', 'message') || REASONS[answer.status],
  }),
  // The server does not distinguish a wrong secret from a conversation without the bot, and the secret signs for
  // every conversation: one wrong recipient must not stop the others.
  blame: ({ status }) => (status === 401 || status === 404 ? 'recipient' : 'content'),
});

const REASONS: Readonly<Record<number, string>> = {
  400: 'the message is empty, or the message it replies to is not in this conversation',
  401: 'the bot is not enabled in this conversation, or its secret is wrong',
  404: 'the conversation does not exist',
  413: 'the message is too long',
  429: 'too many requests with a wrong signature',
};
