import assert from 'node:assert/strict';

import PostalMime, { type Attachment, type Email } from 'postal-mime';

import type { SmtpAnswer, SmtpEmail } from '../../emulators/mail/smtp.ts';
import { HOSTED, type HostedName, answering, hosted } from '../../emulators/server/media.ts';
import type { Case, Expected, TestMessage } from '../suite.ts';
import { KINDS, media } from '../upload-cases.ts';

/* Files attached to an email, parsed by a mail client's library. */

type EmailCase = Case<SmtpEmail, SmtpAnswer>;

const SENT: Expected = { outcome: 'sent', id: '<message-1-part-1@example.org>', detail: 'queued' };

/** Maximum bytes of files in one email. */
const MAX_FILE_BYTES = 18_000_000;

export async function readEmail(rawMail: SmtpEmail | undefined): Promise<Email> {
  assert.ok(rawMail, 'no email arrived');
  return PostalMime.parse(rawMail.raw);
}

/** The visible properties of the files, in order. */
export function filesOf({ attachments }: Email) {
  return attachments.map(({ filename, mimeType, disposition }) => ({
    filename,
    mimeType,
    disposition,
  }));
}

function assertBytes(attachment: Attachment | undefined, name: HostedName): void {
  assert.ok(attachment?.content instanceof ArrayBuffer);
  assert.ok(Buffer.from(attachment.content).equals(HOSTED[name].bytes), `${name} differs`);
}

const attached = (name: HostedName, filename: string = name) => ({
  filename,
  mimeType: HOSTED[name].mediaType,
  disposition: 'attachment',
});

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): EmailCase => ({
  it: `attaches a file below the text: ${type}`,
  message: media(type, { content: 'Look\nat <this>' }),
  outcome: SENT,
  sees: [{ headers: { subject: 'Look' } }],
  also: async ([rawMail]) => {
    const mail = await readEmail(rawMail);
    assert.deepEqual(filesOf(mail), [attached(KINDS[type])]);
    assertBytes(mail.attachments[0], KINDS[type]);
    assert.deepEqual([mail.text?.trim(), mail.html], ['Look\nat <this>', undefined]);
  },
}));

/** File names: the first is the object's name, the second the expected file name. */
const NAMES: readonly (readonly [string, string])[] = [
  ['Bericht für März – Übersicht.pdf', 'Bericht für März – Übersicht.pdf'],
  [`${'報告書'.repeat(20)}.pdf`, `${'報告書'.repeat(20)}.pdf`],
  ['👨‍👩‍👧‍👦 family.pdf', '👨_👩_👧_👦 family.pdf'],
  ['it\'s 100% "done"; x=y, (z).pdf', "it's 100% _done_; x=y, (z).pdf"],
  ['a\r\nContent-Type: text/html\r\n\r\n<b>.pdf', 'a_Content-Type_ text_html_b_.pdf'],
  ['../../etc/passwd', '_.._etc_passwd.pdf'],
  [String.raw`C:\Windows\system.ini`, 'C_Windows_system.ini'],
  ['invoice\u202Efdp.exe', 'invoice_fdp.exe'],
  ["utf-8''%41.pdf", "utf-8''%41.pdf"],
  ['=?utf-8?Q?x?=.pdf', '=_utf-8_Q_x_=.pdf'],
  ['report', 'report.pdf'],
];

const names = NAMES.map(([name, filename]): EmailCase => ({
  it: `names a file ${JSON.stringify(filename)} for the name ${JSON.stringify(name)}`,
  message: media('Document', { name }),
  outcome: SENT,
  also: async ([rawMail]) => {
    const mail = await readEmail(rawMail);
    assert.deepEqual(filesOf(mail), [attached('report.pdf', filename)]);
    assert.deepEqual(rawMail?.to, ['bob@example.net']);
    for (const line of rawMail?.raw.split('\r\n') ?? []) assert.ok(line.length <= 998);
  },
}));

/** Emails with a link in place of the file, and the reason. */
const links = (
  [
    ['is missing', answering(404), 'answered 404'],
    ['is redirected', answering(302), 'redirects are not followed'],
    ['has a private address', 'http://10.0.0.1/x', 'is blocked'],
    [
      'is too large',
      hosted('report.pdf', MAX_FILE_BYTES + 1),
      `larger than ${MAX_FILE_BYTES} bytes`,
    ],
  ] as const
).map(([it, url, why]): EmailCase => ({
  it: `links to a file that ${it} and gives the reason`,
  message: media('Document', { url, name: 'The report', content: 'Look' }),
  outcome: { ...SENT, detail: new RegExp(`queued.*; The report .*: .*${why}`) },
  sees: [
    {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `Look\r\nThe report: ${url}\r\n`,
    },
  ],
}));

const attachments = (...attachment: TestMessage['object'][]): Partial<TestMessage> => ({
  object: {
    content: 'Look',
    attachment: attachment.map((one) => Object.assign({ type: 'Document' }, one)),
  },
});

const PHOTO = hosted('photo.png');
const REPORT = hosted('report.pdf');
const VOICE = hosted('voice.ogg');

export const FILES: readonly EmailCase[] = [
  ...kinds,
  {
    it: 'shows an image below its caption',
    message: media('Image', { content: 'Look & see', name: 'A "photo"' }),
    outcome: SENT,
    sees: [{ headers: { subject: 'Look & see' } }],
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      assert.deepEqual(filesOf(mail), [
        { filename: 'A _photo_.png', mimeType: 'image/png', disposition: 'inline' },
      ]);
      assertBytes(mail.attachments[0], 'photo.png');
      const id = 'message-1-part-1-file-1@example.org';
      assert.equal(mail.attachments[0]?.contentId, `<${id}>`);
      assert.equal(mail.text?.trim(), 'Look & see');
      const imageTag = `<img src="cid:${id}" alt="A &quot;photo&quot;" style="max-width:100%">`;
      assert.equal(mail.html?.trim(), `Look &amp; see<br>\n${imageTag}`);
      // A text, or HTML with its related parts: RFC 2387, RFC 2046, 5.1.4.
      assert.match(
        rawMail?.raw ?? '',
        /^Content-Type: multipart\/alternative;[^]*text\/plain[^]*multipart\/related;[^]*text\/html[^]*image\/png/m,
      );
    },
  },
  {
    it: 'sends an image without a caption, with its name as the subject',
    message: media('Image'),
    outcome: SENT,
    sees: [{ headers: { subject: 'photo.png' } }],
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      assert.deepEqual([mail.text ?? '', mail.attachments.length], ['', 1]);
      assert.match(mail.html ?? '', /^<img src="cid:[^"]+" alt="" style="max-width:100%">$/m);
    },
  },
  {
    it: 'puts all parts into one email in order',
    message: {
      object: {
        type: 'Collection',
        items: [
          { type: 'Note', content: '**One**', mediaType: 'text/markdown' },
          { type: 'Image', url: PHOTO, content: 'Front' },
          { type: 'Video', url: hosted('clip.mp4'), name: 'Film.mp4' },
          { type: 'Image', url: hosted('photo.webp'), content: 'Back' },
          { type: 'Place', latitude: 1, longitude: 2 },
        ],
        attachment: [
          { type: 'Document', url: REPORT },
          { type: 'Button', name: 'Yes' },
        ],
      },
    },
    outcome: SENT,
    sees: [{ headers: { subject: 'One' } }],
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      const map = 'https://www.openstreetmap.org/?mlat=1&mlon=2';
      assert.equal(mail.text?.trim(), `One\nFront\nBack\n1, 2\n${map}\n1. Yes`);
      const shown = mail.html?.trim().replaceAll(/<img src="cid:\S+-(file-\d)@[^>]+>/g, '$1');
      const words = `1, 2<br>\n${map.replace('&', '&amp;')}<br>\n1. Yes`;
      assert.equal(shown, `<b>One</b><br>\nFront<br>\nfile-1<br>\nBack<br>\nfile-3<br>\n${words}`);
      const inline = { disposition: 'inline' };
      assert.partialDeepStrictEqual(filesOf(mail).toSorted(byName), [
        attached('clip.mp4', 'Film.mp4'),
        { filename: 'photo.png', ...inline },
        { filename: 'photo.webp', ...inline },
        attached('report.pdf'),
      ]);
    },
  },
  {
    it: 'attaches an image that mail clients do not show',
    message: media('Image', { mediaType: 'image/tiff', content: 'Look' }),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      assert.deepEqual(filesOf(mail), [
        { filename: 'photo.png', mimeType: 'image/tiff', disposition: 'attachment' },
      ]);
      assert.doesNotMatch(mail.html ?? '', /img/);
    },
  },
  ...['message/rfc822', 'Multipart/mixed'].map((mediaType): EmailCase => ({
    it: `never lets a declared media type change the email's structure: ${mediaType}`,
    message: media('Document', { mediaType }),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      assert.deepEqual(filesOf(mail), [
        {
          filename: 'report.pdf',
          mimeType: 'application/octet-stream',
          disposition: 'attachment',
        },
      ]);
      assertBytes(mail.attachments[0], 'report.pdf');
    },
  })),
  ...names,
  ...links,
  {
    it: 'links to an image in its place when it is unavailable',
    message: {
      object: {
        content: '**Look**',
        mediaType: 'text/markdown',
        attachment: [
          { type: 'Image', url: answering(404), name: 'a "b" $&' },
          { type: 'Image', url: PHOTO },
        ],
      },
    },
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      const link = `a "b" $&: ${answering(404)}`;
      assert.equal(mail.text?.trim(), `Look\n${link}`);
      const html = link.replaceAll('"', '&quot;').replace('$&', '$&amp;');
      assert.match(mail.html ?? '', /<img [^>]+file-1/);
      assert.ok(mail.html?.startsWith(`<b>Look</b><br>\n${html}<br>\n<img `), mail.html);
      assert.deepEqual(mail.attachments.length, 1);
    },
  },
  {
    it: 'attaches the other files when one is too large',
    message: attachments(
      { url: hosted('clip.mp4', MAX_FILE_BYTES + 1), name: 'large.mp4' },
      { url: REPORT },
      { url: VOICE },
    ),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readEmail(rawMail);
      assert.deepEqual(filesOf(mail), [attached('report.pdf'), attached('voice.ogg')]);
      assert.match(mail.text ?? '', /^Look\nlarge\.mp4: http.*\n$/);
    },
  },
  {
    it: 'retries when a file is temporarily unavailable',
    message: attachments({ url: PHOTO }, { url: answering(503) }),
    outcome: {
      outcome: 'transient',
      maybeSent: false,
      blame: 'content',
      code: '503',
      detail: 'downloaded',
    },
    sees: [],
  },
];

const byName = (a: { filename: string | null }, b: { filename: string | null }) =>
  (a.filename ?? '').localeCompare(b.filename ?? '');
