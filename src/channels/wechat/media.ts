import type { FormFile } from '../../lib/http/multipart.ts';
import { mediaTypeOf } from '../../lib/text/file-name.ts';

/*
 * The media that WeChat accepts. It checks the extension and the content of a file.
 * https://developers.weixin.qq.com/doc/service/api/material/temporary/api_uploadtempmedia
 */

const MEBIBYTE = 1024 * 1024;

interface AcceptedMedia {
  /** Extensions by media type; the first is the default for unknown types. */
  extensions: ReadonlyMap<string, string>;
  max: number;
  description: string;
}

export const ACCEPTED_MEDIA = {
  image: {
    extensions: new Map([
      ['image/jpeg', 'jpg'],
      ['image/png', 'png'],
      ['image/gif', 'gif'],
    ]),
    max: 10 * MEBIBYTE,
    description: 'JPEG, PNG and GIF images',
  },
  voice: {
    extensions: new Map([
      ['audio/mpeg', 'mp3'],
      ['audio/amr', 'amr'],
    ]),
    max: 2 * MEBIBYTE,
    description: 'MP3 and AMR audio',
  },
  video: {
    extensions: new Map([['video/mp4', 'mp4']]),
    max: 10 * MEBIBYTE,
    description: 'MP4 videos',
  },
} as const satisfies Record<string, AcceptedMedia>;

export type WeChatMedia = keyof typeof ACCEPTED_MEDIA;

export const isWeChatMedia = (type: unknown): type is WeChatMedia =>
  typeof type === 'string' && Object.hasOwn(ACCEPTED_MEDIA, type);

/** Why WeChat does not accept the file, by media type or name. Files of unknown type may be accepted. */
export function refusalOf(
  type: WeChatMedia,
  { url, mediaType }: { url: string; mediaType?: string },
): string | undefined {
  const { extensions, description }: AcceptedMedia = ACCEPTED_MEDIA[type];
  const declaredType = mediaType?.toLowerCase() ?? mediaTypeOf(url) ?? UNKNOWN_TYPE;
  return declaredType === UNKNOWN_TYPE || extensions.has(declaredType)
    ? undefined
    : `WeChat accepts ${description} only`;
}

/** The type that servers declare for unknown files. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** A file for upload, under a name that nobody sees; or why WeChat does not accept it. */
export function asWeChatMedia(
  type: WeChatMedia,
  { url, mediaType }: { url: string; mediaType?: string },
  downloaded: { bytes: Uint8Array; mediaType: string },
): FormFile | string {
  const { extensions }: AcceptedMedia = ACCEPTED_MEDIA[type];
  const declaredType = mediaType?.toLowerCase() ?? mediaTypeOf(url) ?? downloaded.mediaType;
  const refusal = refusalOf(type, { url, mediaType: declaredType });
  if (refusal !== undefined) return `${refusal}, not ${declaredType}`;
  const [first = ['', '']] = extensions;
  const [acceptedType, extension] = extensions.has(declaredType)
    ? [declaredType, extensions.get(declaredType)]
    : first;
  return { name: `media.${extension}`, mediaType: acceptedType, bytes: downloaded.bytes };
}
