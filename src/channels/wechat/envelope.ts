import { createDecipheriv, createHash } from 'node:crypto';

import { Parser } from 'htmlparser2';

import { equalInConstantTime } from '../../lib/constant-time.ts';

/*
 * How WeChat proves and hides what it tells.
 * https://developers.weixin.qq.com/doc/offiaccount/Basic_Information/Access_Overview.html
 * https://developers.weixin.qq.com/doc/oplatform/Third-party_Platforms/2.0/api/Before_Develop/Technical_Plan.html
 */

/** What stands in the elements of a document right below its first, by their names. */
export function fieldsOfXml(xml: string): Map<string, string> {
  const fields = new Map<string, string>();
  const open: string[] = [];
  const parser = new Parser(
    {
      onopentag(name) {
        if (open.push(name) === 2) fields.set(name, '');
      },
      ontext(text) {
        const [, name] = open;
        if (name !== undefined && open.length === 2) fields.set(name, fields.get(name) + text);
      },
      onclosetag: () => void open.pop(),
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return fields;
}

export function isSignedByWeChat(
  token: string,
  signed: readonly (string | null | undefined)[],
  signature: string | null,
): boolean {
  const parts = [token, ...signed.map((each) => each ?? '')].toSorted();
  const hash = createHash('sha1').update(parts.join('')).digest('hex');
  return equalInConstantTime(hash, signature ?? undefined);
}

const BLOCK = 32;
/** Characters that nobody can guess, and then four bytes that say how long the message is. */
const HEAD = 20;

/** What was hidden with that key, and the app that it was hidden for; undefined when it was not. */
export function openEnvelope(
  encrypted: string,
  encodingKey: string,
): { text: string; app: string } | undefined {
  const key = Buffer.from(`${encodingKey}=`, 'base64');
  const bytes = Buffer.from(encrypted, 'base64');
  if (key.length !== 32 || bytes.length === 0 || bytes.length % 16 !== 0) return undefined;
  const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, 16)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(bytes), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  const plain = padded.subarray(0, padded.length - padding);
  if (padding < 1 || padding > BLOCK || plain.length < HEAD) return undefined;
  const end = HEAD + plain.readUInt32BE(HEAD - 4);
  if (end > plain.length) return undefined;
  return { text: plain.toString('utf8', HEAD, end), app: plain.toString('utf8', end) };
}
