import assert from 'node:assert/strict';

import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case, TestMessage } from '../suite.ts';

/* Content that Slack supports besides plain text. */

type SlackCase = Case<Request, Reply | ConnectionFault>;

const CHANNEL = 'C0123456789';
const FIRST = '1794700800.000001';
const SENT = { outcome: 'sent', id: `${CHANNEL}:${FIRST}` } as const;
const EARLIER = { id: `${CHANNEL}:1503435956.000247`, recipient: CHANNEL };

const sends = (it: string, message: Partial<TestMessage>, json: object): SlackCase => ({
  it: `sends ${it}`,
  message,
  sees: [{ path: '/chat.postMessage' }],
  outcome: SENT,
  also: ([request]) => assert.deepEqual(request?.json, { channel: CHANNEL, ...json }),
});

const edits = (it: string, message: Partial<TestMessage>, json: object): SlackCase => ({
  it: `edits a message to ${it}`,
  calls: 'edit',
  earlier: EARLIER,
  message,
  sees: [{ path: '/chat.update' }],
  outcome: { outcome: 'sent', id: EARLIER.id },
  also: ([request]) => {
    const where = { channel: CHANNEL, ts: '1503435956.000247', parse: 'none' };
    assert.deepEqual(request?.json, { ...where, ...json });
  },
});

const written = (type: 'markdown' | 'html', text: string): Partial<TestMessage> => ({
  text,
  object: { mediaType: `text/${type}` },
});
const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const code = (text: string) => ({
  type: 'rich_text_preformatted',
  elements: [{ type: 'text', text }],
});
const rich = (...elements: object[]) => [{ type: 'rich_text', elements }];
const plain = (text: string) => rich(section({ type: 'text', text }));
const run = (text: string, ...looks: string[]) => ({
  type: 'text',
  text,
  ...(looks.length > 0 && { style: Object.fromEntries(looks.map((look) => [look, true])) }),
});
const button = (name: string, url?: string) => ({ type: 'Button', name, ...(url && { url }) });
const key = (i: number, text: string, more: object) => ({
  type: 'button',
  action_id: `button-${i}`,
  text: { type: 'plain_text', text, emoji: false },
  ...more,
});
const image = (more: object): Partial<TestMessage> => ({
  object: { type: 'Image', url: 'https://example.com/a.png', ...more },
});
const shown = (alt_text: string) => ({
  type: 'image',
  image_url: 'https://example.com/a.png',
  alt_text,
});

const formatted: SlackCase[] = [
  sends(
    'formatted Markdown and plain markup characters',
    written('markdown', '**b** *i* ~~s~~ `c` [l](https://a.example/?x&y) \\*<@U1> & :wave:'),
    {
      text: 'b i s c l (https://a.example/?x&amp;y) *&lt;@U1&gt; &amp; :wave:',
      blocks: rich(
        section(
          run('b', 'bold'),
          run(' '),
          run('i', 'italic'),
          run(' '),
          run('s', 'strike'),
          run(' '),
          run('c', 'code'),
          run(' '),
          { type: 'link', url: 'https://a.example/?x&y', text: 'l' },
          run(' *<@U1> & :wave:'),
        ),
      ),
    },
  ),
  sends(
    'formatted HTML, code blocks and links',
    written(
      'html',
      '<p><b>b</b> see https://a.example/x. &lt;!channel&gt;</p><pre>1 &lt; <b>2</b>\n3</pre><p>end</p>',
    ),
    {
      text: 'b see https://a.example/x. &lt;!channel&gt;\n\n1 &lt; 2\n3\n\nend',
      blocks: rich(
        section(
          run('b', 'bold'),
          run(' see '),
          { type: 'link', url: 'https://a.example/x' },
          run('. <!channel>'),
        ),
        code('1 < 2\n3'),
        section(run('end')),
      ),
    },
  ),
  sends('code alone and a link around code', written('markdown', '[`x`](https://a.example)'), {
    text: 'x (https://a.example)',
    blocks: rich(section({ type: 'link', url: 'https://a.example', text: 'x' })),
  }),
  sends('Markdown without formatting as plain text', written('markdown', 'no markup & 👋 שלום'), {
    text: 'no markup &amp; 👋 שלום',
    mrkdwn: false,
  }),
  {
    it: 'splits a text over the limit, formatted or not',
    message: written('markdown', '**x** & '.repeat(1000)),
    sees: [{ json: { blocks: [{ type: 'rich_text' }] } }, {}],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000002` },
  },
  {
    it: 'sends a text one character over the limit as two messages',
    message: { text: 'x'.repeat(4001) },
    sees: [{ json: { text: 'x'.repeat(4000) } }, { json: { text: 'x' } }],
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000002` },
  },
];

const mediaCases: SlackCase[] = [
  sends('an image', image({ mediaType: 'image/png' }), {
    text: 'image',
    blocks: [shown('image')],
  }),
  sends(
    'an image with a name and a caption',
    image({ name: 'a&b.png', content: '*Look* <!here>' }),
    {
      text: '*Look* &lt;!here&gt;',
      blocks: [...plain('*Look* <!here>'), shown('a&b.png')],
    },
  ),
  sends('an image with a long name', image({ name: '&'.repeat(1024) }), {
    text: '&amp;'.repeat(700),
    blocks: [shown('&'.repeat(700))],
  }),
  sends(
    'a place as text',
    { object: { type: 'Place', latitude: 52.5, longitude: -13.25, name: 'Café' } },
    {
      text: 'Café\n52.5, -13.25\nhttps://www.openstreetmap.org/?mlat=52.5&amp;mlon=-13.25',
      mrkdwn: false,
    },
  ),
  sends(
    'link buttons and value buttons',
    {
      text: '*Well*? <&>',
      object: {
        attachment: [button('Yes :wave:'), button('More', 'https://example.com/?a=1&b=2')],
      },
    },
    {
      text: '*Well*? &lt;&amp;&gt;',
      blocks: [
        ...plain('*Well*? <&>'),
        {
          type: 'actions',
          elements: [
            key(1, 'Yes :wave:', { value: 'Yes :wave:' }),
            key(2, 'More', { url: 'https://example.com/?a=1&b=2' }),
          ],
        },
      ],
    },
  ),
  {
    it: 'sends the maximum number of buttons below an image',
    message: image({
      attachment: Array.from({ length: 25 }, (_, i) => button(`${'x'.repeat(72)}-${i}`)),
    }),
    sees: [{ json: { blocks: [{ type: 'image' }, { type: 'actions' }] } }],
    outcome: SENT,
  },
  sends(
    'buttons over the limit as a list',
    {
      text: 'Well?',
      object: { attachment: Array.from({ length: 26 }, (_, i) => button(String(i))) },
    },
    {
      text: `Well?\n${Array.from({ length: 26 }, (_, i) => `${i + 1}. ${i}`).join('\n')}`,
      mrkdwn: false,
    },
  ),
];

const placed: SlackCase[] = [
  ...[EARLIER.id, '1503435956.000247'].map((id) =>
    sends(
      `a reply to ${id} in its thread`,
      { text: 'Yes', object: { inReplyTo: id } },
      {
        text: 'Yes',
        mrkdwn: false,
        thread_ts: '1503435956.000247',
      },
    ),
  ),
  ...['x', 'C1:x', '<1.2>', '17'].map((id) =>
    sends(
      `a message with the malformed reply or thread id ${id} without it`,
      {
        text: 'Yes',
        object: { inReplyTo: id },
        context: id,
      },
      { text: 'Yes', mrkdwn: false },
    ),
  ),
  {
    it: 'sends every part to the thread',
    message: { text: 'x'.repeat(5000), context: EARLIER.id },
    sees: [1, 2].map(() => ({ json: { thread_ts: '1503435956.000247' } })),
    outcome: { outcome: 'sent', id: `${CHANNEL}:1794700800.000002` },
  },
];

const edited: SlackCase[] = [
  edits('plain text', { text: 'New & https://a.example' }, { text: 'New &amp; https://a.example' }),
  ...['*new*', '> new', '_new_ `x` ~y~'].map((text) =>
    edits(
      `markup-like text: ${text}`,
      { text },
      {
        text: text.replaceAll('>', '&gt;'),
        blocks: plain(text),
      },
    ),
  ),
  edits('a formatted text', written('markdown', '**New**'), {
    text: 'New',
    blocks: rich(section(run('New', 'bold'))),
  }),
  edits('an image with a button', image({ content: 'New', attachment: [button('Yes')] }), {
    text: 'New',
    blocks: [
      ...plain('New'),
      shown('image'),
      { type: 'actions', elements: [key(1, 'Yes', { value: 'Yes' })] },
    ],
  }),
  edits(
    'a text with a button and keeps its thread',
    { text: '*New*', object: { attachment: [button('Yes')], inReplyTo: EARLIER.id } },
    {
      text: '*New*',
      blocks: [...plain('*New*'), { type: 'actions', elements: [key(1, 'Yes', { value: 'Yes' })] }],
    },
  ),
];

export const FORMS: readonly SlackCase[] = [...formatted, ...mediaCases, ...placed, ...edited];
