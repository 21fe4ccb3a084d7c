import { createDecipheriv, createHash } from 'node:crypto';

import { Parser } from 'htmlparser2';

import { equalInConstantTime } from '../../lib/crypto/constant-time.ts';

/*
 * WeChat's signatures and encryption.
 * https://developers.weixin.qq.com/doc/offiaccount/Basic_Information/Access_Overview.html
 * https://developers.weixin.qq.com/doc/oplatform/Third-party_Platforms/2.0/api/Before_Develop/Technical_Plan.html
 */

/** WeChat's documents have a few kilobytes and three levels. */
export const MAX_XML_BYTES = 64 * 1024;
export const MAX_XML_DEPTH = 8;
export const MAX_XML_ELEMENTS = 200;

class XmlLimitExceeded extends Error {
  override name = 'XmlLimitExceeded';
}

/**
 * The text of the root's child elements, by name. Empty for a document that is larger, deeper or has more elements
 * than WeChat's: the parser takes time quadratic in the depth.
 */
export function fieldsOfXml(xml: string): Map<string, string> {
  if (xml.length > MAX_XML_BYTES) return new Map();
  try {
    return parseFields(xml);
  } catch (error) {
    if (error instanceof XmlLimitExceeded) return new Map();
    throw error;
  }
}

function parseFields(xml: string): Map<string, string> {
  const fields = new Map<string, string>();
  const open: string[] = [];
  let elements = 0;
  const parser = new Parser(
    {
      onopentag(name) {
        if (open.push(name) > MAX_XML_DEPTH || ++elements > MAX_XML_ELEMENTS)
          throw new XmlLimitExceeded();
        if (open.length === 2) fields.set(name, '');
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

const BLOCK_BYTES = 32;
/** Random characters, followed by four bytes with the length of the message. */
const HEADER_BYTES = 20;

/** The decrypted message and the id of its app; undefined when it cannot be decrypted. */
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
  if (padding < 1 || padding > BLOCK_BYTES || plain.length < HEADER_BYTES) return undefined;
  const end = HEADER_BYTES + plain.readUInt32BE(HEADER_BYTES - 4);
  if (end > plain.length) return undefined;
  return { text: plain.toString('utf8', HEADER_BYTES, end), app: plain.toString('utf8', end) };
}
