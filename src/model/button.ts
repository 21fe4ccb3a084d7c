import type { ActivityObject } from './activity.ts';

/** A button with a URL opens it. Without one, it sends its value back when pressed. */
export interface Button {
  name: string;
  /** http, https, tel or mailto. */
  url?: string;
  /** Defaults to the name. */
  value?: string;
}

export const BUTTON_KINDS = ['link', 'tel', 'mailto', 'reply'] as const;
export type ButtonKind = (typeof BUTTON_KINDS)[number];

const SCHEME = /^(?:(https?):\/\/|(tel|mailto):)/i;

/** Whether a button can open the URL; otherwise the URL is its value. */
export const isOpenable = (url: string): boolean => SCHEME.test(url);

/** A Button of an activity. */
export function readButton({ name, url = '', value = '' }: ActivityObject): Button {
  const label = typeof name === 'string' && name !== '' ? name : url;
  const payload = value === '' && !isOpenable(url) ? url : value;
  return {
    name: label,
    ...(isOpenable(url) && { url }),
    ...(payload !== '' && { value: payload }),
  };
}

export function buttonKind({ url = '' }: Button): ButtonKind {
  const [, web, contact] = SCHEME.exec(url) ?? [];
  if (web !== undefined) return 'link';
  if (contact === undefined) return 'reply';
  return contact.toLowerCase() === 'tel' ? 'tel' : 'mailto';
}

/** The value sent back when pressed. */
export const payloadOf = ({ name, value }: Button): string => value ?? name;

/** The target for a person to read: a number or email address to copy, or the URL itself. */
export function destinationOf(button: Button): string | undefined {
  const { url } = button;
  const kind = buttonKind(button);
  if (url === undefined || kind === 'link') return url;
  const [target = ''] = url.slice(`${kind}:`.length).split('?', 1);
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}
