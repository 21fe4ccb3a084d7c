/** What files of these kinds are called, where a name does not say it. */
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

/** Bytes: most file systems take no more. */
const LONGEST = 200;

/**
 * What to call a file: as it is called, or as its address ends. Nothing that could be a path or a header is
 * left in it, and it has an extension where its kind is known, since that is what many go by.
 */
export function fileName(url: string, name: string | undefined, mediaType: string): string {
  const bare = harmless(name ?? '') || harmless(lastOf(url)) || 'file';
  const extension = EXTENSIONS[mediaType];
  if (/\.\w{1,8}$/.test(bare) || extension === undefined) return bare;
  return `${bare}.${extension}`;
}

/** What a file is, by how its address ends; undefined where that does not say. */
export function mediaTypeOf(url: string): string | undefined {
  const [, ending = ''] = /\.(\w{1,8})$/.exec(lastOf(url).toLowerCase()) ?? [];
  const extension = ending === 'jpeg' ? 'jpg' : ending;
  return Object.entries(EXTENSIONS).find((entry) => entry[1] === extension)?.[0];
}

function lastOf(url: string): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** What cannot be seen may turn a name around, so it goes too. */
function harmless(name: string): string {
  const visible = name
    .slice(0, 1000)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029"\\/:*?<>|]+/gu, '_')
    .trim()
    .replace(/^\.+/, '');
  return shortened(visible);
}

/** The end, where the extension is, is kept. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST) return name;
  const [extension = ''] = /\.\w{1,8}$/.exec(name) ?? [];
  let short = '';
  let size = extension.length;
  for (const character of name) {
    size += Buffer.byteLength(character);
    if (size > LONGEST) break;
    short += character;
  }
  return short + extension;
}
