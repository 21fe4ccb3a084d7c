import {
  Bell,
  Hash,
  type LucideIcon,
  Mail,
  MessageCircle,
  MessageSquareText,
  MessagesSquare,
  Webhook,
} from 'lucide-react';
import type { CSSProperties } from 'react';

import { cn } from '../ui/cn.ts';
import { BRANDS } from './brands.ts';

/** Hues of channels without a logo in the set; others are gray. */
const HUES: Readonly<Record<string, number>> = {
  callr: 30,
  email: 250,
  gotify: 200,
  irc: 110,
  messagebird: 245,
  'ms-teams': 285,
  pushover: 235,
  slack: 330,
  twilio: 15,
  webmessenger: 275,
  webpush: 150,
};

/**
 * Icons of channels without a vendor, or whose vendor forbids others to show its logo, such as Microsoft, Slack and
 * Twilio. The latter get the icon of their category.
 */
const DRAWN: Readonly<Record<string, LucideIcon>> = {
  callr: MessageSquareText,
  email: Mail,
  gotify: Bell,
  irc: Hash,
  messagebird: MessageSquareText,
  'ms-teams': MessagesSquare,
  pushover: Bell,
  slack: MessagesSquare,
  smpp: MessageSquareText,
  twilio: MessageSquareText,
  webhook: Webhook,
  webmessenger: MessageCircle,
  webpush: Bell,
  // Addresses that several channels share.
  rcs: MessageSquareText,
  sms: MessageSquareText,
};

const LOGO_SIZES = { sm: 'size-3.5', lg: 'size-5' } as const;

interface ChannelMarkProps {
  name: string;
  size?: 'sm' | 'lg';
}

/** Marks a channel in lists: its logo, an icon, or its first letters. The name is always beside it. */
export function ChannelMark({ name, size = 'sm' }: ChannelMarkProps) {
  const brand = BRANDS[name];
  const Drawn = DRAWN[name];
  return (
    <span
      aria-hidden
      className={cn(
        'inline-flex shrink-0 items-center justify-center font-semibold uppercase select-none',
        size === 'sm' ? 'size-5 rounded-sm text-[0.625rem]' : 'size-9 rounded-md text-sm',
      )}
      style={brand ? brandStyle(brand.hex) : drawnStyle(HUES[name])}
    >
      {brand ? (
        <span
          className={cn('bg-current', LOGO_SIZES[size])}
          style={{ mask: `url("${brand.logo}") center / contain no-repeat` }}
        />
      ) : Drawn ? (
        <Drawn className={LOGO_SIZES[size]} />
      ) : (
        name.replaceAll(/[^a-z]/g, '').slice(0, 2)
      )}
    </span>
  );
}

/** A black logo, such as that of X, must stay visible on a dark page. */
function brandStyle(hex: string): CSSProperties {
  if (hex === '000000') {
    return {
      background: 'light-dark(oklch(0.95 0 0), oklch(0.33 0 0))',
      color: 'light-dark(#000, oklch(0.96 0 0))',
    };
  }
  const color = `#${hex}`;
  return {
    background: `light-dark(color-mix(in oklab, ${color} 10%, white), color-mix(in oklab, ${color} 22%, oklch(0.22 0 0)))`,
    color: `light-dark(${color}, oklch(from ${color} max(l, 0.74) c h))`,
  };
}

function drawnStyle(hue: number | undefined): CSSProperties {
  const chroma = hue === undefined ? 0 : 1;
  const tint = (l: number, c: number) => `oklch(${l} ${c * chroma} ${hue ?? 0})`;
  return {
    background: `light-dark(${tint(0.93, 0.045)}, ${tint(0.32, 0.07)})`,
    color: `light-dark(${tint(0.42, 0.13)}, ${tint(0.86, 0.09)})`,
  };
}
