import type { ShownPlace } from './shown.ts';

/** A place as text, as people share it where messages have no places. */
export function placeLink({ latitude, longitude, name }: ShownPlace): string {
  const link = `https://maps.google.com/?q=${latitude},${longitude}`;
  return name === undefined ? link : `${name}\n${link}`;
}
