import type { ShownMedia } from './shown.ts';

/* Small files that stand for those that the sandbox does not fetch, and for those that people send. */

export interface Sample {
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/** A gray gradient, 64 × 48 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAAAAACEICPDAAAAyklEQVR42qXMhQGCAABFwT+2iqJYGGCL3d0r+nd4A9wpl8vnC4UgKBZLpTAslyuVKKpWa7V6vdFoNuO41Wq3O51uN0nStNfr9weD4XA0Go8nk+k0y2YzQT8X9A6YXwh6B8wvBb0D5leC3gHza0HvgPmNoHfA/FbQO2B+J+gdML8X9A6YPwh6B8wfBb0D5k+C3gHzZ0HvgPmLoHfA/FXQO2D+JugdMH8X9A6Yfwh6B8w/Bb0D5l+C3gHzb0HvgPmPoHfA/FfQO2D+9we6m+db8rh/jAAAAABJRU5ErkJggg==',
  'base64',
);

const PDF = Buffer.from(
  '%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** A quarter of a second of silence: PCM, 8 kHz, 8 bits. */
function silence(): Buffer {
  const samples = Buffer.alloc(2_000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** The file of this type that is used if the request has none. */
export function sampleOf(type: ShownMedia['type']): Sample {
  if (type === 'Image') return { name: 'photo.png', mediaType: 'image/png', bytes: PNG };
  if (type === 'Audio') return { name: 'voice.wav', mediaType: 'audio/wav', bytes: silence() };
  if (type === 'Video')
    return { name: 'video.mp4', mediaType: 'video/mp4', bytes: Buffer.from('no video') };
  return { name: 'document.pdf', mediaType: 'application/pdf', bytes: PDF };
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  txt: 'text/plain',
};

/** A sample in place of the file at a URL. */
export function sampleFor(url: string): Sample {
  const path = URL.parse(url)?.pathname ?? '';
  const name = path.slice(path.lastIndexOf('/') + 1) || 'file';
  const [, extension = ''] = /\.(\w{1,8})$/.exec(name) ?? [];
  const mediaType =
    TYPES[extension.toLowerCase()] ?? (extension === 'pdf' ? 'application/pdf' : 'image/png');
  if (mediaType.startsWith('image/')) return { name, mediaType, bytes: PNG };
  if (mediaType.startsWith('audio/')) return { name, mediaType, bytes: silence() };
  return { name, mediaType, bytes: PDF };
}
