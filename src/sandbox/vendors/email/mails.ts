import type { Phone } from '../../phone.ts';
import type { SessionReport } from '../../session.ts';
import type { PhoneEntry } from '../../shown.ts';

/* The mails in the simulated mailbox: what people write, and bounces. https://www.rfc-editor.org/rfc/rfc5322 */

const DOMAIN = 'sandbox.test';

export const messageIdOf = (number: number): string => `<${number}@${DOMAIN}>`;

/** A mail by a person, to the mailbox. */
export async function mailOf(
  { person, entry, number, createdAt }: PhoneEntry,
  to: string,
  phone: Phone,
): Promise<Buffer> {
  const { text = '', media = [], title, reply_to: answered } = entry;
  const body = part('text/plain; charset=utf-8', Buffer.from(text));
  const files: string[] = [];
  for (const { file = '' } of media) {
    const found = await phone.file(file);
    if (!found) continue;
    const name = encodeURIComponent(found.name);
    files.push(
      part(found.mediaType, found.bytes, [
        `Content-Disposition: attachment; filename*=utf-8''${name}`,
      ]),
    );
  }
  const original = answered === undefined ? undefined : await phone.find(answered);
  const subject = title ?? (original ? replyTo(original.entry.title ?? text) : firstLine(text));
  const head = headOf(person, to, messageIdOf(number), subject, createdAt, answered);
  const boundary = `sandbox-${number}`;
  return files.length === 0
    ? Buffer.from(lines(...head, body))
    : Buffer.from(multipart('mixed', boundary, head, [body, ...files]));
}

/** A report that a mail could not be delivered. https://www.rfc-editor.org/rfc/rfc3464 */
export function bounceOf({ number, entry }: SessionReport, to: string): Buffer {
  const from = `mailer-daemon@${DOMAIN}`;
  const { person, vendorId, createdAt } = entry;
  const head = headOf(from, to, messageIdOf(number), 'Undelivered mail', createdAt, undefined);
  const status = lines(
    `Reporting-MTA: dns; ${DOMAIN}`,
    '',
    `Final-Recipient: rfc822; ${oneLine(person)}`,
    'Action: failed',
    'Status: 5.1.1',
    'Diagnostic-Code: smtp; 550 5.1.1 No such user',
  );
  return Buffer.from(
    multipart('report; report-type=delivery-status', `sandbox-${number}`, head, [
      part('text/plain; charset=utf-8', Buffer.from('The mail could not be delivered.')),
      lines('Content-Type: message/delivery-status', '', status),
      lines('Content-Type: text/rfc822-headers', '', `Message-ID: ${oneLine(vendorId)}`),
    ]),
  );
}

function headOf(
  from: string,
  to: string,
  id: string,
  subject: string,
  at: number,
  answered: string | undefined,
): string[] {
  return [
    `From: <${oneLine(from)}>`,
    `To: <${to}>`,
    `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
    `Message-ID: ${id}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    ...(answered === undefined
      ? []
      : [`In-Reply-To: ${oneLine(answered)}`, `References: ${oneLine(answered)}`]),
    'MIME-Version: 1.0',
  ];
}

function multipart(
  subtype: string,
  boundary: string,
  head: readonly string[],
  parts: readonly string[],
): string {
  const inner = parts.flatMap((each) => [`--${boundary}`, each]);
  const type = `Content-Type: multipart/${subtype}; boundary="${boundary}"`;
  return lines(...head, type, '', ...inner, `--${boundary}--`);
}

function part(type: string, bytes: Buffer, more: readonly string[] = []): string {
  const encoded = bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n');
  return lines(
    `Content-Type: ${oneLine(type)}`,
    'Content-Transfer-Encoding: base64',
    ...more,
    '',
    encoded,
  );
}

const MAX_SUBJECT_LENGTH = 40;

function firstLine(text: string): string {
  const [first = ''] = text.split('\n', 1);
  return Array.from(first).slice(0, MAX_SUBJECT_LENGTH).join('');
}

function replyTo(subject: string): string {
  const first = firstLine(subject);
  return /^re:/i.test(first) ? first : `Re: ${first}`;
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n`;

/** Prevents header injection through names and addresses. */
const oneLine = (text: string) => text.replaceAll(/[\r\n\0]+/g, ' ');
