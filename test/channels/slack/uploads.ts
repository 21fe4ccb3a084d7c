import assert from 'node:assert/strict';

import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import { HOSTED, hosted } from '../../emulators/server/media.ts';
import { slackError } from '../../emulators/slack/api.ts';
import type { Case, TestMessage } from '../suite.ts';
import { KINDS, assertUploaded, media, withoutFile } from '../upload-cases.ts';

/* Files uploaded to Slack. */

type SlackCase = Case<Request, Reply | ConnectionFault>;

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

/** Failures of either upload request. */
const fails = (it: string, answers: SlackCase['answers'], outcome: SlackCase['outcome']) => ({
  it: `upload: ${it}`,
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
    it: `uploads a file of type ${type}`,
    message: media(type as keyof typeof KINDS),
    sees: [
      { path: BEGIN, form: { filename: name, length: String(HOSTED[name].bytes.length) } },
      { path: PUT },
      { path: END, form: { channel_id: CHANNEL, files: `[{"id":"${ID}","title":"${name}"}]` } },
    ],
    outcome: SENT,
    also: (seen) => assertUploaded(seen, name),
  })),
  uploads('an image that Slack does not show', media('Image', { url: hosted('photo.webp') }), {
    channel_id: CHANNEL,
  }),
  uploads('an image of an unsupported type', media('Image', { mediaType: 'image/svg+xml' }), {
    channel_id: CHANNEL,
  }),
  uploads(
    'an image with a long address',
    media('Image', { url: `${hosted('photo.png')}?${'x'.repeat(3000)}` }),
    {
      channel_id: CHANNEL,
    },
  ),
  uploads('a file with a caption', media('Document', { content: 'a & b' }), {
    channel_id: CHANNEL,
    initial_comment: 'a &amp; b',
  }),
  uploads(
    'a file with a caption with markup characters',
    media('Document', { content: '*a* <!here>' }),
    {
      channel_id: CHANNEL,
      blocks: JSON.stringify([
        {
          type: 'rich_text',
          elements: [
            { type: 'rich_text_section', elements: [{ type: 'text', text: '*a* <!here>' }] },
          ],
        },
      ]),
    },
  ),
  uploads(
    'a file to a thread',
    { ...media('Document'), context: '1503435956.000247' },
    {
      channel_id: CHANNEL,
      thread_ts: '1503435956.000247',
    },
  ),
  uploads(
    'a file for a user',
    { ...media('Document'), recipient: 'U0123456789' },
    {
      channels: 'U0123456789',
    },
  ),
  {
    ...uploads('a file under its given name', media('Document', { name: 'Report/1' }), {}),
    also: ([begin]) => assert.equal(begin?.form?.['filename'], 'Report_1.pdf'),
  },
  {
    it: 'sends a link to a file when the conversation is given by name',
    message: { ...media('Document'), recipient: '#general' },
    sees: [{ ...POST, json: { text: hosted('report.pdf') } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000001` },
  },
  {
    it: 'sends buttons below a file as a list',
    message: media('Document', { attachment: [{ type: 'Button', name: 'Yes' }] }),
    sees: [{ path: BEGIN }, {}, { path: END }, { ...POST, json: { text: '1. Yes' } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000002` },
  },
  ...withoutFile('Document'),

  fails('does not blame the token for a missing scope', [slackError('missing_scope')], {
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
    scope: 'integration',
    seconds: 7,
    code: '429',
  }),
  fails('nothing was sent when the response has no address', ['reset'], {
    outcome: 'transient',
    maybeSent: false,
  }),
  fails('nothing was sent when the response is malformed', ['empty'], {
    outcome: 'transient',
    maybeSent: false,
    code: '200',
  }),
  fails('nothing was sent when the upload fails to connect', [begun], {
    outcome: 'transient',
    maybeSent: false,
    detail: 'cannot connect to',
  }),
  fails('nothing was sent when the upload gets no response', ['none', 'reset'], {
    outcome: 'transient',
    maybeSent: false,
  }),
  fails('nothing was sent when the upload is refused', ['none', { status: 500 }], {
    outcome: 'transient',
    maybeSent: false,
    code: '500',
  }),
  fails(
    'the message may have been sent when its request gets no response',
    ['none', 'none', 'reset'],
    {
      outcome: 'transient',
      maybeSent: true,
    },
  ),
  fails('is refused on completion', ['none', 'none', slackError('not_in_channel')], {
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
    it: 'treats deleting a missing file as done',
    calls: 'remove',
    earlier: { id: 'F0GONE', recipient: CHANNEL },
    outcome: { outcome: 'sent' },
  },
  ...[
    { it: 'a message', id: `${CHANNEL}:1503435956.000247`, message: media('Video') },
    { it: 'a file', id: 'F0BEFORE', message: { text: 'New' } },
  ].map(({ it, id, message }): SlackCase => ({
    it: `does not replace ${it} with content that cannot be there`,
    calls: 'edit',
    earlier: { id, recipient: CHANNEL },
    message,
    sees: [],
    outcome: { outcome: 'permanent', blame: 'unsupported' },
  })),
];
