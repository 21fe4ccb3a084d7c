import type { ActivityObject } from './activity.ts';

/** With an address, it leads there. Without one, its value comes back when it is pressed. */
export interface Button {
  name: string;
  /** http, https, tel or mailto. */
  url?: string;
  /** Where it was given; the name stands for it otherwise. */
  value?: string;
}

export const BUTTON_KINDS = ['link', 'tel', 'mailto', 'reply'] as const;
export type ButtonKind = (typeof BUTTON_KINDS)[number];

const SCHEME = /^(?:(https?):\/\/|(tel|mailto):)/i;

/** Whether a button with that address leads somewhere; otherwise it is the value that comes back. */
export const isLeading = (url: string): boolean => SCHEME.test(url);

/** A Button of an activity. */
export function readButton({ name, url = '', value = '' }: ActivityObject): Button {
  const label = typeof name === 'string' && name !== '' ? name : url;
  const payload = value === '' && !isLeading(url) ? url : value;
  return {
    name: label,
    ...(isLeading(url) && { url }),
    ...(payload !== '' && { value: payload }),
  };
}

export function buttonKind({ url = '' }: Button): ButtonKind {
  const [, web, contact] = SCHEME.exec(url) ?? [];
  if (web !== undefined) return 'link';
  if (contact === undefined) return 'reply';
  return contact.toLowerCase() === 'tel' ? 'tel' : 'mailto';
}

/** What comes back when it is pressed. */
export const payloadOf = ({ name, value }: Button): string => value ?? name;

/** Where it leads, for a person to read: a number or an email address to copy, or the address itself. */
export function destinationOf(button: Button): string | undefined {
  const { url } = button;
  const kind = buttonKind(button);
  if (url === undefined || kind === 'link') return url;
  const [written = ''] = url.slice(`${kind}:`.length).split('?', 1);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
