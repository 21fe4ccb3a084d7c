import { unescapeSlack } from './blocks.ts';

const SPECIAL = /<([^<>]{1,4000})>/g;

/**
 * Replaces links and mentions in angle brackets with readable text.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function readSlackText(text: string): string {
  return unescapeSlack(text.replaceAll(SPECIAL, (_, inner: string) => shown(inner)));
}

function shown(inner: string): string {
  const bar = inner.indexOf('|');
  const [what, label] = bar === -1 ? [inner, ''] : [inner.slice(0, bar), inner.slice(bar + 1)];
  if (what.startsWith('@')) return label === '' ? what : `@${label}`;
  if (what.startsWith('#')) return label === '' ? what : `#${label}`;
  // A user group, a date, or everybody.
  if (what.startsWith('!')) return label === '' ? `@${what.slice(1)}` : label;
  const isSame = label === '' || what === label || what.endsWith(`/${label}`);
  if (what === `mailto:${label}`) return label;
  return isSame ? what : `${label} (${what})`;
}
