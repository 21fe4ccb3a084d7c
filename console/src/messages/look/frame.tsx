import { Bell } from 'lucide-react';
import type { ReactNode } from 'react';

import { Badge } from '../../ui/badge.tsx';
import { cn } from '../../ui/cn.ts';
import type { Look } from './look.ts';

interface MessageFrameProps {
  look: Look;
  /** The viewer: the person on the phone, or the application in the console. The viewer's own bubbles are on the right. */
  side: 'person' | 'application';
  /** Whether the application wrote it, or a person. */
  isApplication: boolean;
  /** The name above a row. */
  author: string;
  /** The author in a group, shown inside the bubble. */
  sender?: string | undefined;
  /** The person or group that an email is to or from. */
  correspondent: string;
  /** The subject of an email. */
  subject?: string | undefined;
  children: ReactNode;
  /** Below the content, if the channel's app shows buttons. */
  buttons?: ReactNode;
  footer: ReactNode;
}

/** A message as the app of its channel shows it. */
export function MessageFrame(props: MessageFrameProps) {
  const Frame = FRAMES[props.look];
  return <Frame {...props} />;
}

/** A phone is narrow. On it, the viewer's own bubbles have the accent color. */
const SIDES = {
  person: { width: '', own: 'bg-accent text-white' },
  application: { width: 'sm:max-w-[75%]', own: 'bg-accent-soft text-ink' },
};

function Bubble(props: MessageFrameProps) {
  const { look, side, isApplication, sender, children, buttons, footer } = props;
  const isOwn = isApplication === (side === 'application');
  const { width, own } = SIDES[side];
  return (
    <div className={cn('flex', isOwn ? 'justify-end' : 'justify-start')}>
      <div className={cn('grid max-w-[85%] min-w-0 gap-1', width)}>
        <div
          className={cn(
            'grid grid-cols-[minmax(0,auto)] gap-2 px-3 py-2 text-base wrap-anywhere',
            look === 'sms' ? 'rounded-3xl' : 'rounded-2xl',
            isOwn ? 'justify-self-end' : 'justify-self-start',
            isOwn ? own : 'border border-line bg-surface text-ink',
            look !== 'sms' && (isOwn ? 'rounded-br-sm' : 'rounded-bl-sm'),
          )}
        >
          {sender !== undefined && <p className="text-xs font-semibold">{sender}</p>}
          {children}
        </div>
        {buttons}
        {footer}
      </div>
    </div>
  );
}

/** Rows with a name, as in Slack and Teams. */
function Row({ isApplication, author, children, buttons, footer }: MessageFrameProps) {
  return (
    <div className="grid grid-cols-[2rem_minmax(0,1fr)] gap-2.5">
      <span
        aria-hidden
        className={cn(
          'flex size-8 items-center justify-center rounded-md text-sm font-semibold',
          isApplication ? 'bg-accent text-white' : 'bg-hover text-ink',
        )}
      >
        {author.slice(0, 1).toUpperCase()}
      </span>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5 wrap-anywhere">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-semibold">{author}</span>
          {isApplication && <Badge>App</Badge>}
        </p>
        <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-2">{children}</div>
        {buttons !== undefined && <div className="justify-self-start">{buttons}</div>}
        {footer}
      </div>
    </div>
  );
}

/** An email with its subject above the text. */
function Mail(props: MessageFrameProps) {
  const { isApplication, correspondent, subject, children, buttons, footer } = props;
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line bg-surface p-3 wrap-anywhere">
      <header className="grid gap-0.5 border-b border-line pb-2">
        <p data-testid="subject" className="font-semibold">
          {subject ?? 'No subject'}
        </p>
        <p className="text-xs text-ink-soft">
          {isApplication ? `To ${correspondent}` : `From ${correspondent}`}
        </p>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">{children}</div>
      {buttons}
      {footer}
    </article>
  );
}

/** A notification on the lock screen. */
function Notification({ children, buttons, footer }: MessageFrameProps) {
  return (
    <article className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-2 rounded-2xl border border-line bg-surface p-3 wrap-anywhere">
      <Bell className="mt-0.5 size-4 text-ink-soft" aria-hidden />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {children}
        {buttons}
        {footer}
      </div>
    </article>
  );
}

const FRAMES: Record<Look, (props: MessageFrameProps) => ReactNode> = {
  bubbles: Bubble,
  sms: Bubble,
  rows: Row,
  mail: Mail,
  notifications: Notification,
};
