import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * A file server on loopback for messages with file addresses. Each test file has one, so that case tables can name
 * it; it does not keep the process alive.
 */

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface Hosted {
  mediaType: string;
  bytes: Buffer;
}

/** Line breaks and dashes, which multipart code must not trip over. */
const bytesOf = (text: string) => Buffer.from(`${text}\0\r\n--\xff\r\n\r\n--form--\r\n`, 'latin1');

export const HOSTED = {
  'photo.png': { mediaType: 'image/png', bytes: Buffer.from(PNG, 'base64') },
  'photo.webp': { mediaType: 'image/webp', bytes: bytesOf('RIFF') },
  'still.gif': { mediaType: 'image/gif', bytes: bytesOf('GIF89a\0\x21\xf9\x04') },
  'moving.gif': {
    mediaType: 'image/gif',
    bytes: bytesOf('GIF89a\0\x21\xf9\x04\0one\0\x21\xf9\x04\0two'),
  },
  'clip.mp4': { mediaType: 'video/mp4', bytes: bytesOf('film') },
  'broken.mp4': { mediaType: 'video/mp4', bytes: bytesOf('broken') },
  'voice.mp3': { mediaType: 'audio/mpeg', bytes: bytesOf('ID3') },
  'voice.ogg': { mediaType: 'audio/ogg', bytes: bytesOf('OggS') },
  // Media types that the names do not tell.
  'plain-png': { mediaType: 'image/png', bytes: Buffer.from(PNG, 'base64') },
  'plain-pdf': { mediaType: 'application/pdf', bytes: bytesOf('%PDF-1.7') },
  'plain-bytes': { mediaType: 'application/octet-stream', bytes: bytesOf('bytes') },
  'report.pdf': { mediaType: 'application/pdf', bytes: bytesOf('%PDF-1.7') },
} satisfies Record<string, Hosted>;

export type HostedName = keyof typeof HOSTED;

const server = createServer(({ url = '' }, answer) => {
  const { pathname, searchParams } = new URL(url, 'http://host');
  const name = pathname.slice(1);
  const status = Number(/^status\/(\d{3})$/.exec(name)?.[1] ?? 0);
  const known: Readonly<Record<string, Hosted>> = HOSTED;
  const file = known[name];
  if (status > 0) answer.writeHead(status, { location: '/photo.png' }).end();
  else if (!file) answer.writeHead(404).end();
  else {
    answer.writeHead(200, { 'content-type': file.mediaType });
    // Padded where the size matters.
    const more = Math.max(Number(searchParams.get('size') ?? 0) - file.bytes.length, 0);
    answer.write(file.bytes);
    answer.end(Buffer.alloc(more));
  }
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
server.unref();
const { port } = server.address() as AddressInfo;

/** The address of the file, padded to `size` if that is larger. */
export function hosted(name: HostedName, size?: number): string {
  return `http://127.0.0.1:${port}/${name}${size === undefined ? '' : `?size=${size}`}`;
}

/** The address that answers with this status only. */
export const answering = (status: number) => `http://127.0.0.1:${port}/status/${status}`;
