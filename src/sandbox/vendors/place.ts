import type { ShownPlace } from '../shown.ts';

/** A place as text, as people share it where messages have no places. */
export function placeLink({ latitude, longitude, name }: ShownPlace, before?: string): string {
  const link = `https://maps.google.com/?q=${latitude},${longitude}`;
  return [before, name, link].filter((line) => line !== undefined).join('\n');
}
