import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/*
 * A self-signed certificate generated on demand, so that the repository contains no key. X.509 by RFC 5280, written
 * in DER (ITU-T X.690), as little as TLS needs.
 */
export interface Certificate {
  key: string;
  cert: string;
}

/** For host names, and for 127.0.0.1. */
export const makeCertificate = (...names: string[]): Certificate =>
  certificateFor(names, '491231235959Z');

/** An expired certificate. */
export const makeExpiredCertificate = (...names: string[]): Certificate =>
  certificateFor(names, '210101000000Z');

function certificateFor(names: readonly string[], until: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = sequence(
    der(0x31, sequence(objectId('550403'), der(0x0c, Buffer.from('Switchboard test')))),
  );
  const alternatives = sequence(
    ...names.map((each) => der(0x82, Buffer.from(each))),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time('200101000000Z'), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(objectId('551d11'), der(0x04, alternatives)),
        sequence(
          objectId('551d13'),
          der(0x01, Buffer.from([255])),
          der(0x04, sequence(der(0x01, Buffer.from([255])))),
        ),
      ),
    ),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  const written = sequence(body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${written}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function time(written: string): Buffer {
  return der(0x17, Buffer.from(written));
}
