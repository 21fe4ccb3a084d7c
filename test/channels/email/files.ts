import assert from 'node:assert/strict';

import PostalMime, { type Attachment, type Email } from 'postal-mime';

import type { SmtpAnswer, SmtpLetter } from '../../emulators/mail/smtp.ts';
import { HOSTED, type HostedName, answering, hosted } from '../../emulators/server/media.ts';
import type { Case, Expected, TestMessage } from '../suite.ts';
import { KINDS, media } from '../upload-cases.ts';

/* Files that go along in a letter, read by a client for mail. */

type EmailCase = Case<SmtpLetter, SmtpAnswer>;

const SENT: Expected = { outcome: 'sent', id: '<message-1-part-1@example.org>', detail: 'queued' };

/** The most bytes of files in one letter. */
const MOST = 18_000_000;

export async function readLetter(rawMail: SmtpLetter | undefined): Promise<Email> {
  assert.ok(rawMail, 'no letter came');
  return PostalMime.parse(rawMail.raw);
}

/** What there is to see of the files, in order. */
export function filesOf({ attachments }: Email) {
  return attachments.map(({ filename, mimeType, disposition }) => ({
    filename,
    mimeType,
    disposition,
  }));
}

function assertBytes(attachment: Attachment | undefined, name: HostedName): void {
  assert.ok(attachment?.content instanceof ArrayBuffer);
  assert.ok(Buffer.from(attachment.content).equals(HOSTED[name].bytes), `${name} is not the same`);
}

const attached = (name: HostedName, filename: string = name) => ({
  filename,
  mimeType: HOSTED[name].mediaType,
  disposition: 'attachment',
});

const kinds = (['Video', 'Audio', 'Document'] as const).map((type): EmailCase => ({
  it: `encloses a file below the text: ${type}`,
  message: media(type, { content: 'Look\nat <this>' }),
  outcome: SENT,
  sees: [{ headers: { subject: 'Look' } }],
  also: async ([rawMail]) => {
    const mail = await readLetter(rawMail);
    assert.deepEqual(filesOf(mail), [attached(KINDS[type])]);
    assertBytes(mail.attachments[0], KINDS[type]);
    assert.deepEqual([mail.text?.trim(), mail.html], ['Look\nat <this>', undefined]);
  },
}));

/** What a name becomes. The first is what the object says, the second what the file is called. */
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
  it: `calls a file ${JSON.stringify(filename)} that is named ${JSON.stringify(name)}`,
  message: media('Document', { name }),
  outcome: SENT,
  also: async ([rawMail]) => {
    const mail = await readLetter(rawMail);
    assert.deepEqual(filesOf(mail), [attached('report.pdf', filename)]);
    assert.deepEqual(rawMail?.to, ['bob@example.net']);
    for (const line of rawMail?.raw.split('\r\n') ?? []) assert.ok(line.length <= 998);
  },
}));

/** Letters in which the file is a link instead, and why. */
const links = (
  [
    ['is not there', answering(404), 'answered 404'],
    ['is elsewhere', answering(302), 'redirects are not followed'],
    ['is at an address inside', 'http://10.0.0.1/x', 'is blocked'],
    ['is too large', hosted('report.pdf', MOST + 1), `larger than ${MOST} bytes`],
  ] as const
).map(([it, url, why]): EmailCase => ({
  it: `links to a file that ${it}, and says why`,
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
    it: 'shows a picture below its caption',
    message: media('Image', { content: 'Look & see', name: 'A "photo"' }),
    outcome: SENT,
    sees: [{ headers: { subject: 'Look & see' } }],
    also: async ([rawMail]) => {
      const mail = await readLetter(rawMail);
      assert.deepEqual(filesOf(mail), [
        { filename: 'A _photo_.png', mimeType: 'image/png', disposition: 'inline' },
      ]);
      assertBytes(mail.attachments[0], 'photo.png');
      const id = 'message-1-part-1-file-1@example.org';
      assert.equal(mail.attachments[0]?.contentId, `<${id}>`);
      assert.equal(mail.text?.trim(), 'Look & see');
      const picture = `<img src="cid:${id}" alt="A &quot;photo&quot;" style="max-width:100%">`;
      assert.equal(mail.html?.trim(), `Look &amp; see<br>\n${picture}`);
      // A text, or the HTML with what belongs to it: RFC 2387, RFC 2046, 5.1.4.
      assert.match(
        rawMail?.raw ?? '',
        /^Content-Type: multipart\/alternative;[^]*text\/plain[^]*multipart\/related;[^]*text\/html[^]*image\/png/m,
      );
    },
  },
  {
    it: 'sends a picture without a word, with its name as the subject',
    message: media('Image'),
    outcome: SENT,
    sees: [{ headers: { subject: 'photo.png' } }],
    also: async ([rawMail]) => {
      const mail = await readLetter(rawMail);
      assert.deepEqual([mail.text ?? '', mail.attachments.length], ['', 1]);
      assert.match(mail.html ?? '', /^<img src="cid:[^"]+" alt="" style="max-width:100%">$/m);
    },
  },
  {
    it: 'puts everything into one letter, in order',
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
      const mail = await readLetter(rawMail);
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
    it: 'encloses a picture that clients do not show',
    message: media('Image', { mediaType: 'image/tiff', content: 'Look' }),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readLetter(rawMail);
      assert.deepEqual(filesOf(mail), [
        { filename: 'photo.png', mimeType: 'image/tiff', disposition: 'attachment' },
      ]);
      assert.doesNotMatch(mail.html ?? '', /img/);
    },
  },
  ...['message/rfc822', 'Multipart/mixed'].map((mediaType): EmailCase => ({
    it: `lets no file be a part of the letter by what it is said to be: ${mediaType}`,
    message: media('Document', { mediaType }),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readLetter(rawMail);
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
    it: 'links to a picture in its place, where it is not to be had',
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
      const mail = await readLetter(rawMail);
      const link = `a "b" $&: ${answering(404)}`;
      assert.equal(mail.text?.trim(), `Look\n${link}`);
      const html = link.replaceAll('"', '&quot;').replace('$&', '$&amp;');
      assert.match(mail.html ?? '', /<img [^>]+file-1/);
      assert.ok(mail.html?.startsWith(`<b>Look</b><br>\n${html}<br>\n<img `), mail.html);
      assert.deepEqual(mail.attachments.length, 1);
    },
  },
  {
    it: 'encloses the others, where one is too large',
    message: attachments(
      { url: hosted('clip.mp4', MOST + 1), name: 'large.mp4' },
      { url: REPORT },
      { url: VOICE },
    ),
    outcome: SENT,
    also: async ([rawMail]) => {
      const mail = await readLetter(rawMail);
      assert.deepEqual(filesOf(mail), [attached('report.pdf'), attached('voice.ogg')]);
      assert.match(mail.text ?? '', /^Look\nlarge\.mp4: http.*\n$/);
    },
  },
  {
    it: 'waits for a file that is not to be had now',
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
