import assert from 'node:assert/strict';

import type { Accident, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { slackError } from '../../emulators/slack/api.ts';
import type { Case, TestMessage } from '../suite.ts';
import { KINDS, assertUploaded, media, unhad } from '../upload-cases.ts';

/* Files for Slack, which it wants uploaded. */

type SlackCase = Case<Request, Reply | Accident>;

const CHANNEL = 'C0123456789';
const ID = 'F00001';
const SENT = { outcome: 'sent', id: ID } as const;
const BEGIN = '/files.getUploadURLExternal';
const PUT = `/upload/v1/fake-${ID}`;
const END = '/files.completeUploadExternal';
const POST = { path: '/chat.postMessage' };

const uploads = (it: string, message: Partial<TestMessage>, form: object): SlackCase => ({
  it: `uploads ${it}`,
  message,
  sees: [{ path: BEGIN }, { path: PUT }, { path: END }],
  outcome: SENT,
  also: ([, , end]) => {
    const { files: _, ...rest } = end?.form ?? {};
    assert.deepEqual(rest, form);
  },
});

const kinds = Object.entries(KINDS).filter(([type]) => type !== 'Image');

/** Of whatever the vendor answers to the one call or the other. */
const fails = (it: string, answers: SlackCase['answers'], outcome: SlackCase['outcome']) => ({
  it: `${it} while it uploads`,
  message: media('Document'),
  ...(answers && { answers }),
  outcome,
});
const begun: Reply = {
  status: 200,
  body: { ok: true, upload_url: 'http://127.0.0.1:9/upload/fake', file_id: ID },
};

export const UPLOADS: readonly SlackCase[] = [
  ...kinds.map(([type, name]): SlackCase => ({
    it: `uploads a file: ${type}`,
    message: media(type as keyof typeof KINDS),
    sees: [
      { path: BEGIN, form: { filename: name, length: String(HOSTED[name].bytes.length) } },
      { path: PUT },
      { path: END, form: { channel_id: CHANNEL, files: `[{"id":"${ID}","title":"${name}"}]` } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, name),
  })),
  uploads('a picture that Slack does not show', media('Image', { url: hosted('photo.webp') }), {
    channel_id: CHANNEL,
  }),
  uploads('a picture of another kind', media('Image', { mediaType: 'image/svg+xml' }), {
    channel_id: CHANNEL,
  }),
  uploads(
    'a picture at a long address',
    media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(3000)}` }),
    {
      channel_id: CHANNEL,
    },
  ),
  uploads('a file with a caption', media('Document', { content: 'a & b' }), {
    channel_id: CHANNEL,
    initial_comment: 'a &amp; b',
  }),
  uploads('a file with signs that would be markup', media('Document', { content: '*a* <!here>' }), {
    channel_id: CHANNEL,
    blocks: JSON.stringify([
      {
        type: 'rich_text',
        elements: [
          { type: 'rich_text_section', elements: [{ type: 'text', text: '*a* <!here>' }] },
        ],
      },
    ]),
  }),
  uploads(
    'a file into a thread',
    { ...media('Document'), context: '1503435956.000247' },
    {
      channel_id: CHANNEL,
      thread_ts: '1503435956.000247',
    },
  ),
  uploads(
    'a file for a person',
    { ...media('Document'), recipient: 'U0123456789' },
    {
      channels: 'U0123456789',
    },
  ),
  {
    ...uploads(
      'a file under the name that it is given',
      media('Document', { name: 'Report/1' }),
      {},
    ),
    also: ([begin]) => assert.equal(begin?.form?.['filename'], 'Report_1.pdf'),
  },
  {
    it: 'sends a link to a file where the conversation is known by its name only',
    message: { ...media('Document'), recipient: '#general' },
    sees: [{ ...POST, json: { text: hosted('report.pdf') } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000001` },
  },
  {
    it: 'sends buttons below a file as a list',
    message: media('Document', { attachment: [{ type: 'Button', name: 'Yes' }] }),
    sees: [{ path: BEGIN }, {}, { path: END }, { ...POST, json: { text: '1. Yes' } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000001` },
  },
  ...unhad('Document'),

  fails('does not blame the token for a scope that is missing', [slackError('missing_scope')], {
    outcome: 'permanent',
    blame: 'unsupported',
    code: 'missing_scope',
    detail: 'files:write',
  }),
  fails('is refused', [slackError('file_type_not_allowed')], {
    outcome: 'permanent',
    blame: 'content',
    code: 'file_type_not_allowed',
  }),
  fails('is limited', [{ status: 429, headers: { 'retry-after': '7' }, body: {} }], {
    outcome: 'limited',
    whom: 'integration',
    seconds: 7,
    code: '429',
  }),
  fails('knows that nothing was sent when it hears no address', ['reset'], {
    outcome: 'transient',
    maybeSent: false,
  }),
  fails('knows that nothing was sent when it hears something else', ['empty'], {
    outcome: 'transient',
    maybeSent: false,
    code: '200',
  }),
  fails('knows that nothing was sent when the bytes do not get there', [begun], {
    outcome: 'transient',
    maybeSent: false,
    detail: 'cannot connect to',
  }),
  fails(
    'knows that nothing was sent when nobody says that the bytes are there',
    ['none', 'reset'],
    {
      outcome: 'transient',
      maybeSent: false,
    },
  ),
  fails('knows that nothing was sent when the bytes are refused', ['none', { status: 500 }], {
    outcome: 'transient',
    maybeSent: false,
    code: '500',
  }),
  fails('does not know whether it was sent when nobody says so', ['none', 'none', 'reset'], {
    outcome: 'transient',
    maybeSent: true,
  }),
  fails('is refused at the end', ['none', 'none', slackError('not_in_channel')], {
    outcome: 'permanent',
    blame: 'recipient',
    code: 'not_in_channel',
  }),
  {
    it: 'deletes a file',
    calls: 'remove',
    earlier: { id: 'F0BEFORE', recipient: CHANNEL },
    sees: [{ path: '/files.delete', json: { file: 'F0BEFORE' } }],
    outcome: { outcome: 'sent' },
  },
  {
    it: 'has deleted a file that is gone already',
    calls: 'remove',
    earlier: { id: 'F0GONE', recipient: CHANNEL },
    outcome: { outcome: 'sent' },
  },
  ...[
    { it: 'a message', id: `${CHANNEL}:1503435956.000247`, message: media('Video') },
    { it: 'a file', id: 'F0BEFORE', message: { text: 'New' } },
  ].map(({ it, id, message }): SlackCase => ({
    it: `puts nothing in the place of ${it} that cannot be there`,
    calls: 'edit',
    earlier: { id, recipient: CHANNEL },
    message,
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  })),
];
