import { liquidFaults, renderTemplate } from '../../src/accept/templates/own-templates.ts';
import { readMail } from '../../src/channels/email/isolated-reader.ts';
import { findChannel } from '../../src/channels/index.ts';
import { fieldsOfXml } from '../../src/channels/wechat/envelope.ts';
import { XmppScanner } from '../../src/channels/xmpp/scanner.ts';
import { MAX_TEXT_ON_MAIN_THREAD, planSafely } from '../../src/compose/isolated-plan.ts';
import { fieldsOfBody } from '../../src/lib/http/form-body.ts';
import { jsonBody } from '../../src/lib/json/json-body.ts';
import { fileName } from '../../src/lib/text/file-name.ts';
import { ACTIVITY_STREAMS } from '../../src/model/activity.ts';
import { Problem } from '../../src/model/problem.ts';

/* Hostile documents, each of the maximum accepted size, with the parser that the service uses for it. */

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const fill = (part: string, size: number) => part.repeat(Math.floor(size / part.length));
const keys = (count: number, value: string) =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(',')}}`;

interface Hostile {
  parser: string;
  document: string;
  read(): unknown;
}

const HEAD = 'From: Eve <eve@example.net>\r\n';

const MAILS: Readonly<Record<string, () => string>> = {
  '2 MiB of blank lines': () => `${HEAD}\r\n${fill('\r\n', 2 * MEBIBYTE)}`,
  '16 MiB of blank lines': () => `${HEAD}\r\n${fill('\n', 16 * MEBIBYTE)}`,
  '200,000 lines of text': () => `${HEAD}\r\n${`${'a'.repeat(70)}\r\n`.repeat(200_000)}`,
  '100,000 parts': () =>
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n\r\nx\r\n'.repeat(100_000)}`,
  '1 MiB of headers': () => `${HEAD}${fill('X: y\r\n', MEBIBYTE)}\r\nHello`,
  '16 MiB of base64': () =>
    `${HEAD}Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${fill(`${'A'.repeat(76)}\r\n`, 16 * MEBIBYTE)}`,
};

const JSONS: Readonly<Record<string, () => string>> = {
  '90,000 keys': () => keys(90_000, '1'),
  '24,000 objects': () => `[${'{"a":1},'.repeat(24_000)}1]`,
  '60,000 long integers': () => keys(60_000, '99999999999999999'),
  '4,900 long integers': () => `[${'99999999999999999,'.repeat(4_900)}1]`,
  '1 MiB of brackets': () => fill('[', MEBIBYTE),
  'a key given twice': () => `[${`${keys(900, '1')},`.repeat(50)}{"a":1,"a":2}]`,
  '49,000 escapes': () => `[${'"\\u0041",'.repeat(49_000)}1]`,
  '1 MiB in one string': () => `"${fill('\\"', MEBIBYTE)}"`,
};

const XMLS: Readonly<Record<string, () => string>> = {
  '1 MiB nested': () => fill('<a>', MEBIBYTE),
  '64 KiB nested': () => fill('<a>', 64 * KIBIBYTE),
  '64 KiB of attributes': () => `<xml ${fill('a="b" ', 60 * KIBIBYTE)}/>`,
  '64 KiB of entities': () => `<xml><a>${fill('&amp;', 60 * KIBIBYTE)}</a></xml>`,
};

const STANZAS: Readonly<Record<string, () => string>> = {
  '300 KiB nested': () => fill('<a>', 300 * KIBIBYTE),
  '300 KiB of elements': () => `<a>${fill('<b/>', 300 * KIBIBYTE)}</a>`,
  '300 KiB of attributes': () => `<a ${fill("b='' ", 300 * KIBIBYTE)}/>`,
  '300 KiB of text': () => `<a>${fill('x', 300 * KIBIBYTE)}</a>`,
};

const MARKUP = [
  '[',
  '![',
  '*a ',
  '~~a',
  '<b>',
  '1. a\n',
  '> ',
  '|a|\n|-|\n',
  'http://a.b ',
  '<ol><li>',
];

const MARKUP_BYTES = 250 * KIBIBYTE;
const ON_MAIN_THREAD = MAX_TEXT_ON_MAIN_THREAD - 200;

function planOf(content: string, mediaType: string): unknown {
  const channel = findChannel('telegram');
  if (!channel) throw new Error('there is no channel telegram');
  const activity = {
    '@context': ACTIVITY_STREAMS,
    type: 'Create' as const,
    generator: { type: 'Service' },
    to: { type: 'Person', id: 1 },
    object: { type: 'Note', mediaType, content },
  };
  return planSafely(activity, channel, { recipient: '1', credentials: {} });
}

const table = (
  parser: string,
  documents: Readonly<Record<string, () => string>>,
  read: (text: string) => unknown,
): Hostile[] =>
  Object.entries(documents).map(([document, make]) => {
    const text = make();
    return { parser, document, read: () => read(text) };
  });

const markup = (parser: string, mediaType: string): Hostile[] =>
  MARKUP.flatMap((part) =>
    [MARKUP_BYTES, ON_MAIN_THREAD].map((size) => ({
      parser,
      document: `${size} bytes of ${JSON.stringify(part)}`,
      read: () => planOf(fill(part, size), mediaType),
    })),
  );

const liquid = (loop: string) => fill(loop, 64 * KIBIBYTE);

const LIQUIDS: Readonly<Record<string, () => string>> = {
  '64 KiB of ranges': () => liquid('{% assign b = (1..900000) %}'),
  '64 KiB of values': () => liquid('{{ text }}'),
  '64 KiB of sorted lists': () => liquid('{{ list | sort | size }}'),
  '64 KiB of stripped HTML': () => liquid('{{ text | strip_html | size }}'),
  'a condition for each value': () => '{{ list | where_exp: "x", "list contains x.n" | size }}',
  'a sorted range': () => '{{ (1..300000) | sort | size }}',
  'nested loops': () => '{% for i in (1..9000) %}{% for j in (1..90) %}{% endfor %}{% endfor %}',
  'a long path': () => `{{ list | sort: "${'a.'.repeat(30_000)}a" | size }}`,
  '1,000 characters of values': () => '{{a}}'.repeat(200),
};

const LIQUID_VALUES = {
  a: '*'.repeat(900),
};
const LARGE_VALUES = {
  a: '*',
  text: '<script'.repeat(8_000),
  list: Array.from({ length: 20_000 }, (_, n) => ({ n })),
};

/** A template that exceeds a limit is refused; that is a valid result. */
async function rendered(content: string): Promise<void> {
  const note = { content, mediaType: 'text/markdown' };
  await liquidFaults(1, { en: note });
  const values =
    content.length <= KIBIBYTE && content.startsWith('{{a') ? LIQUID_VALUES : LARGE_VALUES;
  try {
    await renderTemplate(1, note, values, '');
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

export function hostileDocuments(): Hostile[] {
  return [
    ...Object.entries(MAILS).map(([document, make]) => {
      const bytes = Buffer.from(make());
      return { parser: 'mail', document, read: () => readMail(bytes, 'bot@example.org', '7:1') };
    }),
    ...table('JSON', JSONS, jsonBody),
    ...table('form', { '1 MiB of fields': () => fill('a=b&', MEBIBYTE) }, (text) =>
      fieldsOfBody(Buffer.from(text)),
    ),
    ...table('Liquid', LIQUIDS, rendered),
    ...table('WeChat XML', XMLS, fieldsOfXml),
    ...table('XMPP stanza', STANZAS, (text) => {
      const scanner = new XmppScanner();
      scanner.push('<stream>');
      return scanner.push(text);
    }),
    ...markup('Markdown', 'text/markdown'),
    ...markup('HTML', 'text/html'),
    ...table('file name', { '1 MiB of dots': () => fill('.a', MEBIBYTE) }, (text) =>
      fileName('', text, 'image/png'),
    ),
  ];
}
