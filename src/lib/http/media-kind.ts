/** The kind of a file, by its media type. */
export type MediaKind = 'Image' | 'Video' | 'Audio' | 'Document';

export function mediaKind(mediaType: string | undefined): MediaKind {
  const [family = ''] = (mediaType ?? '').toLowerCase().split('/', 1);
  if (family === 'image') return 'Image';
  if (family === 'video') return 'Video';
  return family === 'audio' ? 'Audio' : 'Document';
}
