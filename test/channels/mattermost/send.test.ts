import { mattermost } from '../../../src/channels/mattermost/channel.ts';
import {
  ARCHIVED,
  BEFORE,
  CHANNEL,
  FIRST,
  SECOND,
  TOKEN,
  mattermostError,
  openMattermost,
} from '../../emulators/mattermost.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { WITHOUT_ANSWER, WITHOUT_ID, transient } from '../faults.ts';
import { BEHIND_GATEWAY, ODD_TEXTS, WITHOUT_ADDRESS, WITHOUT_TOKEN } from '../self-hosted.ts';
import { type Case, testChannel } from '../suite.ts';
import { OPTION_CASES } from './options.ts';
import { UPLOADS } from './uploads.ts';

type MattermostCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: FIRST } as const;
const EARLIER = { id: BEFORE, recipient: CHANNEL };

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  ...Object.fromEntries(Object.entries(ODD_TEXTS).map(([name, text]) => [name, [text]])),
  'Markdown characters': [
    '*a* _b_ ~~c~~ `d` [e](f) ![g](h) |i|',
    '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\`d\\` \\[e\\](f) !\\[g\\](h) \\|i\\|',
  ],
  'heading-, quote- and list-like lines': [
    '# a\n> b\n- c\n+ d\n12. e\n===\n---\nf # g - h',
    '\\# a\n\\> b\n\\- c\n\\+ d\n12\\. e\n&#61;==\n\\---\nf # g - h',
  ],
  'backslashes with a meaning': ['C:\\new \\* \\\\_', 'C:\\new \\\\\\* \\\\\\\\\\_'],
  'code-like lines': ['a\n    b\n\tc', 'a\n    b\n\tc'],
  'entities unchanged': ['&lt; & &#42;', '&amp;lt; & &amp;#42;'],
  'code spans without backslashes': ['a_b\n\n    c_d *e*', 'a_b\n\n    c_d *e*'],
  'names unchanged': ['@channel (@here) x-@all @bob a@b.example'],
  'emoji names unchanged': [':smile: :+1: 12:30:45'],
  'backslashes before marks': ['C:\\(x86)\\. \\\\server\\a', 'C:\\\\(x86)\\\\. \\\\server\\a'],
  'addresses in angle brackets': [
    '<ada@example.org> <https://a.b>',
    '&lt;ada@example.org> &lt;https://a.b>',
  ],
  'words with underscores unchanged': ['snake_case_name'],
  'addresses unchanged': ['see https://example.com/a_b_c*d*?x=@me. www.example.com/a_b*c*d'],
  'very many backslashes': ['\\'.repeat(8000), '\\'.repeat(16_000)],
  'the longest text': ['x'.repeat(16_383)],
  'the longest text of emoji, whose response is not read to the end': ['👋'.repeat(16_383)],
};

const texts = Object.entries(TEXTS).map(([name, [text, message = text]]): MattermostCase => ({
  it: `sends ${name}`,
  message: { text },
  sees: [{ method: 'POST', path: '/api/v4/posts', json: { channel_id: CHANNEL, message } }],
  outcome: SENT,
}));

const refusal = (
  blame: 'credentials' | 'recipient' | 'content' | 'unsupported',
  status: number,
  code: string,
): MattermostCase => ({
  it: `blames the ${blame} for ${code}`,
  answers: [mattermostError(status, code)],
  outcome: { outcome: 'permanent', blame, code, detail: 'because' },
});

testChannel(mattermost, {
  open: openMattermost,
  credentials: ({ url }) => ({ address: `${url}/`, token: TOKEN, secret: 'canary-of-the-hook' }),
  recipient: CHANNEL,
  cases: [
    ...OPTION_CASES,
    ...texts,
    {
      it: 'authenticates in a header and sends a pending post id',
      sees: [
        {
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          text: JSON.stringify({
            channel_id: CHANNEL,
            message: 'Good morning!',
            pending_post_id: 'message-1-part-1',
          }),
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends a text one character over the limit as two messages',
      message: { text: '👋'.repeat(16_384) },
      sees: [{}, { json: { message: '👋', pending_post_id: 'message-1-part-1-2' } }],
      outcome: { outcome: 'sent', id: SECOND },
    },
    {
      it: 'counts the escaped text',
      message: { text: '*'.repeat(8192) },
      sees: [{}, {}],
      outcome: { outcome: 'sent', id: SECOND },
    },
    {
      it: 'sends formatted text as Markdown and escapes everything else',
      message: {
        text: '**bo_ld** *it* ~~no~~ `x*y` [a_b](https://example.com/a_b) @all\n\n```\ncode *\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            message:
              '**bo_ld** *it* ~~no~~ `x*y` [a_b](<https://example.com/a_b>) @all\n\n```\ncode *\n```\n',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends lists, quotations, tables and code with a language',
      message: {
        text: '# A\n\n- b\n  - c\n\n> d\n\n| e | f |\n|---|---|\n| 1 | 2 |\n\n```js\ng\n```',
        object: { mediaType: 'text/markdown' },
      },
      sees: [
        {
          json: {
            message:
              '# A\n\n- b\n  - c\n\n> d\n\n| **e** | **f** |\n| --- | --- |\n| 1 | 2 |\n\n```js\ng\n```',
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image with a caption',
      message: {
        object: {
          type: 'Image',
          url: 'https://example.com/a.png',
          mediaType: 'image/png',
          name: 'a.png',
          content: 'a *caption*',
        },
      },
      sees: [
        {
          json: {
            message: 'a \\*caption\\*',
            props: { attachments: [{ fallback: 'a.png', image_url: 'https://example.com/a.png' }] },
          },
        },
      ],
      outcome: SENT,
    },
    {
      it: 'sends an image without a caption',
      message: { object: { type: 'Image', url: 'https://example.com/a.png' } },
      sees: [{ json: { message: '', props: {} } }],
      outcome: SENT,
    },
    ...UPLOADS,
    ...[{ object: { inReplyTo: BEFORE } }, { context: BEFORE }].map((message): MattermostCase => ({
      it: `replies in a thread by ${Object.keys(message).join()}`,
      message,
      sees: [{ json: { root_id: BEFORE } }],
      outcome: SENT,
    })),
    {
      it: 'blames the content when the replied-to post is missing',
      message: { context: CHANNEL },
      outcome: {
        outcome: 'permanent',
        blame: 'content',
        code: 'api.post.create_post.root_id.app_error',
      },
    },

    {
      it: 'blames the recipient when the bot is not in the channel',
      message: { recipient: 'a'.repeat(26) },
      outcome: {
        outcome: 'permanent',
        blame: 'recipient',
        code: 'api.context.permissions.app_error',
      },
    },
    {
      it: 'blames the recipient when the channel is archived',
      message: { recipient: ARCHIVED },
      outcome: {
        outcome: 'permanent',
        blame: 'recipient',
        code: 'api.post.create_post.can_not_post_to_deleted.error',
      },
    },
    {
      it: 'blames the credentials when the token is unknown',
      credentials: { token: 'fake' },
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'api.context.session_expired.app_error',
      },
    },
    refusal('recipient', 404, 'app.channel.get.existing.app_error'),
    refusal('content', 400, 'model.post.is_valid.message_length.app_error'),
    refusal('content', 413, 'api.something.new'),
    refusal('unsupported', 501, 'api.post.not_enabled.app_error'),
    ...WITHOUT_ADDRESS,
    ...WITHOUT_TOKEN,

    ...[{ 'retry-after': '3', 'x-ratelimit-reset': '9' }, { 'x-ratelimit-reset': '3' }].map(
      (headers): MattermostCase => ({
        it: `rate limited: waits as long as ${Object.keys(headers).join(' and ')} say`,
        answers: [{ status: 429, headers, body: 'limit exceeded\n' }],
        outcome: { outcome: 'limited', scope: 'integration', seconds: 3, code: '429' },
      }),
    ),
    {
      it: 'rate limited: waits when the response gives no time',
      answers: [{ status: 429, body: 'limit exceeded\n' }],
      outcome: { outcome: 'limited', scope: 'integration', code: '429' },
    },
    {
      it: 'retries while an earlier attempt is still in progress',
      answers: [mattermostError(500, 'api.post.deduplicate_create_post.pending')],
      outcome: transient(true, 'api.post.deduplicate_create_post.pending'),
    },
    ...BEHIND_GATEWAY,
    ...WITHOUT_ID,
    ...WITHOUT_ANSWER,

    {
      it: 'edits a post and removes its image',
      calls: 'edit',
      earlier: EARLIER,
      message: { text: '*after*', context: CHANNEL },
      sees: [
        {
          method: 'PUT',
          path: `/api/v4/posts/${BEFORE}/patch`,
          text: JSON.stringify({ message: '\\*after\\*', props: {} }),
        },
      ],
      outcome: { outcome: 'sent', id: BEFORE },
    },
    {
      it: 'cannot edit a missing post',
      calls: 'edit',
      earlier: { ...EARLIER, id: FIRST },
      outcome: {
        outcome: 'permanent',
        blame: 'unsupported',
        code: 'api.context.permissions.app_error',
      },
    },
    {
      it: 'deletes a post',
      calls: 'remove',
      earlier: EARLIER,
      sees: [{ method: 'DELETE', path: `/api/v4/posts/${BEFORE}`, text: '' }],
      outcome: { outcome: 'sent' },
    },
    {
      it: 'treats deleting a missing post as done',
      calls: 'remove',
      earlier: { ...EARLIER, id: FIRST },
      outcome: { outcome: 'sent' },
    },
    {
      it: 'cannot delete a message without permission',
      calls: 'remove',
      earlier: EARLIER,
      answers: [mattermostError(403, 'api.context.permissions.app_error')],
      outcome: {
        outcome: 'permanent',
        blame: 'unsupported',
        code: 'api.context.permissions.app_error',
      },
    },

    {
      it: 'check: names the token’s owner and sends nothing',
      calls: 'check',
      sees: [{ method: 'GET', path: '/api/v4/users/me' }],
      outcome: { outcome: 'known', as: '@example-bot' },
    },
    {
      it: 'check: rejects an unknown token',
      calls: 'check',
      credentials: { token: 'fake' },
      outcome: {
        outcome: 'permanent',
        blame: 'credentials',
        code: 'api.context.session_expired.app_error',
      },
    },
  ],
});
