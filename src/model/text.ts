import type { Activity } from './activity.ts';

interface Shown {
  type?: unknown;
  name?: unknown;
  content?: unknown;
  url?: unknown;
  latitude?: unknown;
  longitude?: unknown;
}

/** All that a message says, as plain text: media become links, a place its coordinates, buttons a list. */
export function textOf({ object }: Activity): string {
  const attachments = Array.isArray(object['attachment'])
    ? (object['attachment'] as readonly Shown[])
    : [];
  const buttons = attachments.filter(({ type }) => type === 'Button');
  const media = attachments.filter(({ type }) => type !== 'Button');
  const lines = [
    object.type === 'Place' ? text(object['name']) : '',
    text(object.content),
    link(object),
    ...media.map(link),
    ...buttons.map(
      (button, i) =>
        `${i + 1}. ${[text(button.name), text(button.url)].filter(Boolean).join(': ')}`,
    ),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function link(shown: Shown): string {
  if (shown.type === 'Place') return `${String(shown.latitude)}, ${String(shown.longitude)}`;
  return text(shown.url);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
