import type { ShownPlace } from './shown.ts';

/** A place as text with a link to a map, for channels without places. */
export function placeLink({ latitude, longitude, name }: ShownPlace): string {
  const link = `https://maps.google.com/?q=${latitude},${longitude}`;
  return name === undefined ? link : `${name}\n${link}`;
}
