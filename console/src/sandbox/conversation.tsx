import { Bell, Check, CheckCheck, CircleX } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

import type { SandboxMessage } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { cn } from '../ui/cn.ts';
import { Time } from '../ui/time.tsx';
import { Buttons, Content, type OnPress } from './content.tsx';
import type { Look } from './look.ts';
import { type MessageDeeds, MessageMenu } from './message-menu.tsx';

export interface ConversationProps extends MessageDeeds {
  application: number;
  integration: number;
  look: Look;
  /** The name of the person or room. */
  name: string;
  messages: readonly SandboxMessage[];
  onPress: OnPress;
}

/** A conversation as the person sees it in the product. */
export function Conversation({ messages, ...rest }: ConversationProps) {
  const end = useRef<HTMLLIElement>(null);
  const last = messages.at(-1)?.id;
  useEffect(() => {
    const scroller = end.current?.closest('[data-scroller]');
    if (last !== undefined && scroller) scroller.scrollTop = scroller.scrollHeight;
  }, [last]);
  const known = new Set(messages.map(({ channel_id: id }) => id));
  const isChip = ({ kind, reply_to: id }: SandboxMessage) =>
    kind === 'react' && id !== undefined && known.has(id);
  return (
    <ol
      data-testid="conversation"
      data-look={rest.look}
      aria-live="polite"
      className={cn(
        'grid grid-cols-[minmax(0,1fr)] content-start gap-2 px-3 py-4',
        rest.look === 'channel' && 'gap-3',
      )}
    >
      {messages
        .filter((message) => !isChip(message))
        .map((message) => (
          <Entry key={message.id} message={message} all={messages} {...rest} />
        ))}
      <li ref={end} aria-hidden />
    </ol>
  );
}

interface EntryProps extends Omit<ConversationProps, 'messages'> {
  message: SandboxMessage;
  all: readonly SandboxMessage[];
}

const DEEDS: Partial<Record<SandboxMessage['kind'], string>> = {
  press: 'Pressed',
  react: 'Reacted',
  join: 'Joined',
  leave: 'Left',
  block: 'Blocked the sender',
  unblock: 'Unblocked the sender',
};

function Entry(props: EntryProps) {
  const { message, look } = props;
  const deed = DEEDS[message.kind];
  if (deed !== undefined) {
    return (
      <li
        data-testid="deed"
        data-kind={message.kind}
        className="py-1 text-center text-xs wrap-anywhere text-ink-soft"
      >
        {message.sender !== undefined && `${message.sender}: `}
        {deed} {message.text}
      </li>
    );
  }
  const Drawn = LOOKS[look];
  return (
    <li data-testid={message.author === 'person' ? 'written' : 'received'}>
      <Drawn {...props} />
    </li>
  );
}

/** Their own messages stand on the right. */
function Bubble(props: EntryProps) {
  const { message, look } = props;
  const isOwn = message.author === 'person';
  return (
    <div className={cn('flex', isOwn ? 'justify-end' : 'justify-start')}>
      <div className="grid max-w-[85%] min-w-0 gap-1">
        <div
          className={cn(
            'grid grid-cols-[minmax(0,auto)] gap-2 px-3 py-2 text-base wrap-anywhere',
            look === 'sms' ? 'rounded-3xl' : 'rounded-2xl',
            isOwn ? 'bg-accent text-white' : 'border border-line bg-surface text-ink',
            look !== 'sms' && (isOwn ? 'rounded-br-sm' : 'rounded-bl-sm'),
          )}
        >
          {message.sender !== undefined && (
            <p className="text-xs font-semibold">{message.sender}</p>
          )}
          <Content {...props} />
        </div>
        {!isOwn && <PressableButtons {...props} />}
        <Footer {...props} />
      </div>
    </div>
  );
}

/** Rows with a name, as in Slack and Teams. */
function Row(props: EntryProps) {
  const { message, name } = props;
  const isOwn = message.author === 'person';
  const author = isOwn ? (message.sender ?? name) : 'Application';
  return (
    <div className="grid grid-cols-[2rem_minmax(0,1fr)] gap-2.5">
      <span
        aria-hidden
        className={cn(
          'flex size-8 items-center justify-center rounded-md text-sm font-semibold',
          isOwn ? 'bg-hover text-ink' : 'bg-accent text-white',
        )}
      >
        {author.slice(0, 1).toUpperCase()}
      </span>
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5 wrap-anywhere">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-semibold">{author}</span>
          {!isOwn && <Badge>App</Badge>}
        </p>
        <div className="grid grid-cols-[minmax(0,1fr)] justify-items-start gap-2">
          <Content {...props} />
        </div>
        {!isOwn && (
          <div className="justify-self-start">
            <PressableButtons {...props} />
          </div>
        )}
        <Footer {...props} />
      </div>
    </div>
  );
}

/** An email with its subject above the text. */
function Mail(props: EntryProps) {
  const { message, all, name } = props;
  const isOwn = message.author === 'person';
  const earlier = all.find(({ channel_id: id }) => id === message.reply_to);
  const subject =
    message.title ?? (earlier?.title === undefined ? undefined : `Re: ${earlier.title}`);
  return (
    <article className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-lg border border-line bg-surface p-3 wrap-anywhere">
      <header className="grid gap-0.5 border-b border-line pb-2">
        <p data-testid="subject" className="font-semibold">
          {subject ?? 'No subject'}
        </p>
        <p className="text-xs text-ink-soft">{isOwn ? `From ${name}` : `To ${name}`}</p>
      </header>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <Content {...props} untitled />
      </div>
      {!isOwn && <PressableButtons {...props} />}
      <Footer {...props} />
    </article>
  );
}

/** A notification on the lock screen. */
function Notification(props: EntryProps) {
  const { message } = props;
  return (
    <article className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-2 rounded-2xl border border-line bg-surface p-3 wrap-anywhere">
      <Bell className="mt-0.5 size-4 text-ink-soft" aria-hidden />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <Content {...props} />
        {message.author === 'application' && <PressableButtons {...props} />}
        <Footer {...props} />
      </div>
    </article>
  );
}

const LOOKS: Record<Look, (props: EntryProps) => ReactNode> = {
  bubbles: Bubble,
  sms: Bubble,
  channel: Row,
  mail: Mail,
  notifications: Notification,
};

/** Quick replies are gone once one is pressed, or another message follows. */
function PressableButtons({
  message,
  all,
  onPress,
}: Pick<EntryProps, 'message' | 'all' | 'onPress'>) {
  if (message.deleted) return null;
  const isAnswered = all.some(
    ({ id, kind }) => id > message.id && (kind === 'message' || kind === 'press'),
  );
  return (
    <Buttons
      buttons={message.buttons}
      isAnswered={isAnswered}
      onPress={onPress && ((position) => onPress(message, position))}
    />
  );
}

const STATUS = {
  delivered: { label: 'Delivered', icon: Check },
  read: { label: 'Read', icon: CheckCheck },
  failed: { label: 'Failed', icon: CircleX },
};

function Footer({ message, all, look, reports, onAnswer, onReact, onReport }: EntryProps) {
  const isOwn = message.author === 'person';
  const reactions = all.filter(
    ({ kind, reply_to: id }) => kind === 'react' && id === message.channel_id,
  );
  const status = message.status && STATUS[message.status];
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft',
        isOwn && (look === 'bubbles' || look === 'sms') && 'justify-end',
      )}
    >
      {reactions.map(({ id, text }) => (
        <span
          key={id}
          data-testid="reaction"
          className="rounded-full border border-line bg-surface px-1.5 py-0.5 text-ink"
        >
          {text}
        </span>
      ))}
      <Time at={message.created_at} />
      {message.edited && <span data-testid="edited">edited</span>}
      {status && (
        <span
          data-testid="status"
          data-state={message.status}
          className="inline-flex items-center gap-1"
        >
          <status.icon
            className={cn('size-3.5', message.status === 'read' && 'text-accent-text')}
            aria-hidden
          />
          {status.label}
        </span>
      )}
      {!isOwn && (
        <MessageMenu
          message={message}
          reports={reports}
          onAnswer={onAnswer}
          onReact={onReact}
          onReport={onReport}
        />
      )}
    </div>
  );
}
