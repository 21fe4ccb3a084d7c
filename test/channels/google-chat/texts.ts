import { SPACE } from '../../emulators/google-chat.ts';
import type { ConnectionFault, Reply, Request } from '../../emulators/server/http.ts';
import type { Case } from '../suite.ts';

/* The expected form of texts sent to Google Chat. */

type ChatCase = Case<Request, Reply | ConnectionFault>;

const SENT = { outcome: 'sent', id: `${SPACE}/messages/T1.M1:${SPACE}/threads/T1` } as const;

/** Each text and the request body expected for it. */
const TEXTS: Readonly<Record<string, readonly [string, string?]>> = {
  'ordinary text': ['Good morning! It is 5 - 3 (or so) & more.'],
  emoji: ['👩‍👩‍👧‍👦 🏳️‍🌈 👋🏽'],
  'right-to-left text': ['שלום עולם مرحبا \u202eabc\u202c'],
  'line breaks': ['one\ntwo\n\nthree', 'one  \ntwo\n\nthree'],
  'markup characters as plain text': ['*b* _i_ ~s~ `c` \\', '\\*b\\* \\_i\\_ \\~s\\~ \\`c\\` \\\\'],
  'heading- and list-like lines': ['# a\n- b\n1. c\n> d', '\\# a  \n\\- b  \n1\\. c  \n\\> d'],
  'a line that would underline a heading': ['a\n===', 'a  \n\\==='],
  'deeply indented lines': ['a\n     b\n\tc', 'a  \n     b  \n\tc'],
  'entities unchanged': ['&lt;b&gt; &#42;', '\\&lt;b\\&gt; \\&#42;'],
  'mentions as plain text': ['<users/all> <users/1>', '\\<users/all> \\<users/1>'],
  'an address': ['(see https://a.example/b_(c)_d*e*.)', '(see <https://a.example/b_(c)_d*e*>.)'],
  'the longest text': ['x'.repeat(30_000)],
  'the longest text in bytes': ['日'.repeat(10_000)],
};

export const texts: readonly ChatCase[] = Object.entries(TEXTS).map(
  ([name, [text, request = text]]): ChatCase => ({
    it: `sends ${name}`,
    message: { text },
    sees: [{ method: 'POST', json: { text: request, markupSyntax: 'MARKUP_SYNTAX_MARKDOWN' } }],
    outcome: SENT,
  }),
);

/** Markdown and the request body expected for it. */
const FORMATTED: Readonly<Record<string, readonly [string, string]>> = {
  'nested lists': ['- a\n  - b\n- c', '- a  \n  - b  \n- c'],
  'numbered lists': ['1. a\n2. b', '1. a  \n2. b'],
  'code with its language': ['```js\nlet a;\nlet b;\n```', '```js\nlet a;\nlet b;\n```'],
  'a heading as a line in bold': ['# a', '**a**'],
};

export const formatted: readonly ChatCase[] = Object.entries(FORMATTED).map(
  ([name, [text, request]]): ChatCase => ({
    it: `sends ${name}`,
    message: { text, object: { mediaType: 'text/markdown' } },
    sees: [{ method: 'POST', json: { text: request, markupSyntax: 'MARKUP_SYNTAX_MARKDOWN' } }],
    outcome: SENT,
  }),
);
