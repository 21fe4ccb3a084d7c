import {
  AudioLines,
  Check,
  CheckCheck,
  CornerUpLeft,
  ExternalLink,
  File as FileIcon,
  Film,
  Image as ImageIcon,
  MapPin,
} from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';

import type { SandboxMessage } from '../api/types.ts';
import { safeUrl } from '../messages/drawing/drawn.ts';
import { cn } from '../ui/cn.ts';
import { OuterLink } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { useFile } from './queries.ts';

export interface ConversationProps {
  application: number;
  integration: number;
  messages: readonly SandboxMessage[];
  /** Undefined if the vendor reports no presses. */
  onPress?: ((message: SandboxMessage, position: number) => void) | undefined;
  onAnswer?: ((message: SandboxMessage) => void) | undefined;
  /** Undefined if the vendor reports no deliveries. */
  onRead?: ((message: SandboxMessage) => void) | undefined;
}

/** A conversation as the person sees it: their own messages on the right. */
export function Conversation({ messages, ...rest }: ConversationProps) {
  const end = useRef<HTMLLIElement>(null);
  const last = messages.at(-1)?.id;
  useEffect(() => {
    if (last !== undefined) end.current?.scrollIntoView({ block: 'nearest' });
  }, [last]);
  return (
    <ol
      data-testid="conversation"
      aria-live="polite"
      className="grid content-start gap-2 px-3 py-4"
    >
      {messages.map((message) => (
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

function Entry({ message, all, ...rest }: EntryProps) {
  const deed = DEEDS[message.kind];
  if (deed !== undefined) {
    return (
      <li data-testid="deed" className="py-1 text-center text-xs wrap-anywhere text-ink-soft">
        {message.sender !== undefined && `${message.sender}: `}
        {deed} {message.text}
      </li>
    );
  }
  const isOwn = message.author === 'person';
  return (
    <li
      data-testid={isOwn ? 'written' : 'received'}
      className={cn('flex', isOwn ? 'justify-end' : 'justify-start')}
    >
      <div className="grid max-w-[85%] gap-1">
        <div
          className={cn(
            'grid gap-2 rounded-2xl px-3 py-2 text-base wrap-anywhere',
            isOwn
              ? 'rounded-br-sm bg-accent text-white'
              : 'rounded-bl-sm border border-line bg-surface text-ink',
          )}
        >
          {message.sender !== undefined && (
            <p className="text-xs font-semibold">{message.sender}</p>
          )}
          {message.deleted ? (
            <p className="italic opacity-70">Message deleted</p>
          ) : (
            <Content message={message} all={all} {...rest} />
          )}
        </div>
        {!isOwn && !message.deleted && <Buttons message={message} onPress={rest.onPress} />}
        <Footer message={message} {...rest} />
      </div>
    </li>
  );
}

function Content({ message, all, application, integration }: EntryProps) {
  const quoted = all.find(({ channel_id: id }) => id === message.reply_to);
  return (
    <>
      {message.reply_to !== undefined && (
        <p
          data-testid="quote"
          className="flex gap-1.5 border-l-2 border-current pl-2 text-sm opacity-75"
        >
          <CornerUpLeft className="mt-0.5 size-3.5 shrink-0" aria-hidden />
          <span className="line-clamp-2">{quoted?.text ?? 'Earlier message'}</span>
        </p>
      )}
      {message.title !== undefined && <p className="font-semibold">{message.title}</p>}
      {message.media?.map((media, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- files have no id, only a position
        <Media key={i} media={media} application={application} integration={integration} />
      ))}
      {(message.text !== undefined || message.runs !== undefined) && <Text message={message} />}
      {message.place && <Place place={message.place} />}
      {message.cards && (
        <ul className="flex gap-2 overflow-x-auto">
          {message.cards.map((card, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- cards have no id, only a position
            <li key={i} className="w-48 shrink-0 rounded-lg border border-line p-2 text-sm">
              {card.title !== undefined && <p className="font-semibold">{card.title}</p>}
              {card.text}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Text({ message: { text, runs } }: { message: SandboxMessage }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {runs
        ? runs.map((run, i) => (
            // oxlint-disable-next-line react/no-array-index-key -- runs have no id, only a position
            <Run key={i} run={run} />
          ))
        : text}
    </p>
  );
}

function Run({ run }: { run: NonNullable<SandboxMessage['runs']>[number] }) {
  let node: ReactNode = run.text;
  if (run.code) node = <code className="rounded-sm bg-hover px-1 font-mono text-sm">{node}</code>;
  if (run.strike) node = <s>{node}</s>;
  if (run.italic) node = <em>{node}</em>;
  if (run.bold) node = <strong className="font-semibold">{node}</strong>;
  const url = safeUrl(run.link);
  return url === undefined ? node : <OuterLink href={url}>{node}</OuterLink>;
}

const ICONS = { Image: ImageIcon, Video: Film, Audio: AudioLines, Document: FileIcon };

interface MediaProps {
  media: NonNullable<SandboxMessage['media']>[number];
  application: number;
  integration: number;
}

/** The console loads nothing from other sites, so only files that the sandbox has are shown. */
function Media({ media, application, integration }: MediaProps) {
  const { type, name, url, file } = media;
  const source = useFile(application, integration, type === 'Image' ? file : undefined);
  const Icon = ICONS[type];
  const label =
    name ?? (url === undefined ? type : (URL.parse(url)?.pathname.split('/').at(-1) ?? type));
  if (source !== undefined) {
    return (
      <img
        data-testid="picture"
        src={source}
        alt={label}
        className="max-h-64 min-h-24 min-w-32 rounded-lg object-cover"
      />
    );
  }
  return (
    <figure
      data-testid={`file-${type.toLowerCase()}`}
      className="flex min-w-40 items-center gap-2 rounded-lg bg-hover px-3 py-2 text-sm text-ink"
    >
      <Icon className="size-5 shrink-0 text-ink-soft" aria-hidden />
      <figcaption className="grid min-w-0">
        <span className="truncate">{label}</span>
        <span className="truncate text-xs text-ink-soft">
          {url === undefined ? type : URL.parse(url)?.host}
        </span>
      </figcaption>
    </figure>
  );
}

function Place({ place }: { place: NonNullable<SandboxMessage['place']> }) {
  const { latitude, longitude, name } = place;
  return (
    <p data-testid="place" className="flex items-start gap-2">
      <MapPin className="mt-1 size-4 shrink-0" aria-hidden />
      <span>
        {name !== undefined && <span className="block font-medium">{name}</span>}
        {latitude}, {longitude}
      </span>
    </p>
  );
}

interface ButtonsProps {
  message: SandboxMessage;
  onPress: ConversationProps['onPress'];
}

function Buttons({ message, onPress }: ButtonsProps) {
  const { buttons = [] } = message;
  if (buttons.length === 0) return null;
  return (
    <div className="grid gap-1">
      {buttons.map(({ label, url }, i) => (
        <button
          // oxlint-disable-next-line react/no-array-index-key -- labels may repeat
          key={i}
          type="button"
          data-testid="phone-button"
          disabled={url !== undefined || !onPress}
          title={url}
          onClick={() => onPress?.(message, i + 1)}
          className="flex min-h-9 items-center justify-center gap-1.5 rounded-lg border border-line bg-surface px-3 text-sm font-medium text-accent-text hover:bg-hover disabled:hover:bg-surface"
        >
          <span className="truncate">{label}</span>
          {url !== undefined && <ExternalLink className="size-3.5 shrink-0" aria-hidden />}
        </button>
      ))}
    </div>
  );
}

const STATUS = { delivered: 'Delivered', read: 'Read', failed: 'Failed' };

function Footer({ message, onAnswer, onRead }: Omit<EntryProps, 'all'>) {
  const isOwn = message.author === 'person';
  const { status } = message;
  return (
    <p
      className={cn(
        'flex flex-wrap items-center gap-2 text-xs text-ink-soft',
        isOwn && 'justify-end',
      )}
    >
      <Time at={message.created_at} />
      {message.edited && <span>edited</span>}
      {status && (
        <span data-testid="status" data-state={status} className="inline-flex items-center gap-1">
          {status === 'read' ? (
            <CheckCheck className="size-3.5 text-accent-text" aria-hidden />
          ) : (
            <Check className="size-3.5" aria-hidden />
          )}
          {STATUS[status]}
        </span>
      )}
      {!isOwn && !message.deleted && onRead && status !== 'read' && (
        <button type="button" className="underline" onClick={() => onRead(message)}>
          Mark as read
        </button>
      )}
      {!isOwn && !message.deleted && onAnswer && (
        <button type="button" className="underline" onClick={() => onAnswer(message)}>
          Reply
        </button>
      )}
    </p>
  );
}
