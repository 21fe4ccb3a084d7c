import type { Channel } from '../api/types.ts';

/** Capabilities by which people choose a channel. */
export const ABILITIES = {
  receive: { label: 'Receiving', has: ({ can }: Channel) => can.receive.length > 0 },
  images: { label: 'Images', has: ({ can }: Channel) => can.image },
  files: { label: 'Files', has: ({ can }: Channel) => can.document },
  buttons: { label: 'Buttons', has: ({ can }: Channel) => can.buttons !== null },
  formatting: { label: 'Formatted text', has: ({ can }: Channel) => can.formatting },
  places: { label: 'Locations', has: ({ can }: Channel) => can.place },
  edit: { label: 'Editing', has: ({ can }: Channel) => can.edit },
  threads: { label: 'Threads', has: ({ can }: Channel) => can.thread },
  receipts: { label: 'Receipts', has: ({ can }: Channel) => can.receipts.length > 0 },
} as const;

export type Ability = keyof typeof ABILITIES;

export const isAbility = (text: string | undefined): text is Ability =>
  text !== undefined && Object.hasOwn(ABILITIES, text);

export function abilitiesOf(channel: Channel): string[] {
  return Object.values(ABILITIES)
    .filter(({ has }) => has(channel))
    .map(({ label }) => label);
}
