import { Check, CheckCheck, CircleX } from 'lucide-react';
import { useEffect, useRef } from 'react';

import type { SandboxMessage } from '../api/types.ts';
import { MessageFrame } from '../messages/look/frame.tsx';
import type { Look } from '../messages/look/look.ts';
import { cn } from '../ui/cn.ts';
import { Time } from '../ui/time.tsx';
import { Buttons, Content, type OnPress } from './content.tsx';
import { type PersonActions, MessageMenu } from './message-menu.tsx';

interface ConversationProps extends PersonActions {
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
        rest.look === 'rows' && 'gap-3',
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

const ACTIONS: Partial<Record<SandboxMessage['kind'], string>> = {
  press: 'Pressed',
  react: 'Reacted',
  join: 'Joined',
  leave: 'Left',
  block: 'Blocked the sender',
  unblock: 'Unblocked the sender',
};

function Entry(props: EntryProps) {
  const { message, look } = props;
  const action = ACTIONS[message.kind];
  if (action !== undefined) {
    return (
      <li
        data-testid="action"
        data-kind={message.kind}
        className="py-1 text-center text-xs wrap-anywhere text-ink-soft"
      >
        {message.sender !== undefined && `${message.sender}: `}
        {action} {message.text}
      </li>
    );
  }
  const { name } = props;
  const isOwn = message.author === 'person';
  const isMail = look === 'mail';
  return (
    <li data-testid={isOwn ? 'written' : 'received'}>
      <MessageFrame
        look={look}
        side="person"
        isApplication={!isOwn}
        author={isOwn ? (message.sender ?? name) : 'Application'}
        sender={message.sender}
        correspondent={name}
        subject={isMail ? subjectOf(props) : undefined}
        buttons={isOwn ? undefined : <PressableButtons {...props} />}
        footer={<Footer {...props} />}
      >
        <Content {...props} untitled={isMail} />
      </MessageFrame>
    </li>
  );
}

/** For a reply, the subject of the earlier email. */
function subjectOf({ message, all }: Pick<EntryProps, 'message' | 'all'>): string | undefined {
  const earlier = all.find(({ channel_id: id }) => id === message.reply_to);
  return message.title ?? (earlier?.title === undefined ? undefined : `Re: ${earlier.title}`);
}

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
      {message.edited && <span data-testid="edited">Edited</span>}
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
