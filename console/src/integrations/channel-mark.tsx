import { cn } from '../ui/cn.ts';

/** Brand hues; other channels are grey. */
const HUES: Readonly<Record<string, number>> = {
  callr: 30,
  discord: 275,
  email: 250,
  'google-chat': 155,
  gotify: 200,
  groupme: 225,
  instagram: 0,
  irc: 110,
  line: 145,
  matrix: 170,
  mattermost: 255,
  messagebird: 245,
  messenger: 265,
  'ms-teams': 285,
  ntfy: 165,
  rocketchat: 20,
  slack: 330,
  telegram: 235,
  twilio: 15,
  viber: 300,
  vonage: 290,
  webmessenger: 275,
  wechat: 140,
  whatsapp: 150,
  xmpp: 50,
  zulip: 220,
};

export interface ChannelMarkProps {
  name: string;
  size?: 'sm' | 'lg';
}

/** Marks a channel in lists: its first letters on its colour. The name is always beside it. */
export function ChannelMark({ name, size = 'sm' }: ChannelMarkProps) {
  const hue = HUES[name];
  const chroma = hue === undefined ? 0 : 1;
  const tint = (l: number, c: number) => `oklch(${l} ${c * chroma} ${hue ?? 0})`;
  return (
    <span
      aria-hidden
      className={cn(
        'inline-flex shrink-0 items-center justify-center font-semibold uppercase select-none',
        size === 'sm' ? 'size-5 rounded-sm text-[0.625rem]' : 'size-9 rounded-md text-sm',
      )}
      style={{
        background: `light-dark(${tint(0.93, 0.045)}, ${tint(0.32, 0.07)})`,
        color: `light-dark(${tint(0.42, 0.13)}, ${tint(0.86, 0.09)})`,
      }}
    >
      {name.replaceAll(/[^a-z]/g, '').slice(0, 2)}
    </span>
  );
}
