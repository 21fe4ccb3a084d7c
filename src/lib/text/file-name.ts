/** Extensions by media type, for names that have none. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
  'image/heic': 'heic',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'video/x-msvideo': 'avi',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/wav': 'wav',
  'audio/amr': 'amr',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

/** Within the 255 bytes that most file systems allow, with room to spare. */
const MAX_BYTES = 200;

/**
 * A safe file name, from the given name or the end of the URL. Removes anything that could form a path or a header,
 * and adds an extension if the media type is known, because many programs rely on it.
 */
export function fileName(url: string, name: string | undefined, mediaType: string): string {
  const bare = sanitized(name ?? '') || sanitized(lastSegment(url)) || 'file';
  const extension = EXTENSIONS[mediaType];
  if (/\.\w{1,8}$/.test(bare) || extension === undefined) return bare;
  return `${bare}.${extension}`;
}

/** The media type implied by the URL's extension, if any. */
export function mediaTypeOf(url: string): string | undefined {
  const [, ending = ''] = /\.(\w{1,8})$/.exec(lastSegment(url).toLowerCase()) ?? [];
  const extension = ending === 'jpeg' ? 'jpg' : ending;
  return Object.entries(EXTENSIONS).find((entry) => entry[1] === extension)?.[0];
}

function lastSegment(url: string): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Removes invisible characters too: bidirectional controls can disguise an extension. */
function sanitized(name: string): string {
  const visible = name
    .slice(0, 1000)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029"\\/:*?<>|]+/gu, '_')
    .trim()
    .replace(/^\.+/, '');
  return shortened(visible);
}

/** Shortens the base name and keeps the extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [extension = ''] = /\.\w{1,8}$/.exec(name) ?? [];
  let short = '';
  let size = extension.length;
  for (const character of name) {
    size += Buffer.byteLength(character);
    if (size > MAX_BYTES) break;
    short += character;
  }
  return short + extension;
}
