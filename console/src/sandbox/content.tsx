import {
  AudioLines,
  CornerUpLeft,
  ExternalLink,
  File as FileIcon,
  Film,
  Image as ImageIcon,
  MapPin,
} from 'lucide-react';
import type { ReactNode } from 'react';

import type { SandboxMessage } from '../api/types.ts';
import { safeUrl } from '../messages/drawing/drawn.ts';
import { OuterLink } from '../ui/page.tsx';
import { useFile } from './queries.ts';

/* What a message shows. It is drawn from what the simulated vendor received, and from nothing else. */

type ShownContent = Pick<
  SandboxMessage,
  'title' | 'text' | 'runs' | 'media' | 'place' | 'buttons' | 'reply_to'
>;

/** Presses the button at this position of a message, from 1. */
export type OnPress = ((message: SandboxMessage, position: number) => void) | undefined;

interface ContentProps {
  application: number;
  integration: number;
  message: SandboxMessage;
  /** The whole conversation, for quotes. */
  all: readonly SandboxMessage[];
  onPress: OnPress;
  /** Leaves out the title, if it is shown elsewhere, such as the subject of an email. */
  untitled?: boolean;
}

export function Content(props: ContentProps) {
  const { message, all, application, integration, onPress, untitled } = props;
  const { buttons = [], cards = [] } = message;
  const quoted = all.find(({ channel_id: id }) => id === message.reply_to);
  if (message.deleted) return <p className="italic opacity-70">Message deleted</p>;
  // The API counts the buttons of the message first, then those of its cards.
  const before = cards.map((_, i) =>
    cards.slice(0, i).reduce((sum, card) => sum + (card.buttons?.length ?? 0), buttons.length),
  );
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
      <Body
        content={message}
        application={application}
        integration={integration}
        untitled={untitled ?? false}
      />
      {message.labels && (
        <ul data-testid="labels" className="flex flex-wrap gap-1">
          {message.labels.map((label) => (
            <li key={label} className="rounded-full border border-line px-2 text-xs text-ink-soft">
              {label}
            </li>
          ))}
        </ul>
      )}
      {cards.length > 0 && (
        <ul data-testid="cards" className="flex gap-2 overflow-x-auto pb-1">
          {cards.map((card, i) => (
            <li
              // oxlint-disable-next-line react/no-array-index-key -- cards have no id, only a position
              key={i}
              className="grid w-48 shrink-0 content-start gap-2 rounded-lg border border-line bg-surface p-2 text-sm text-ink"
            >
              <Body content={card} application={application} integration={integration} />
              <Buttons
                buttons={card.buttons}
                onPress={onPress && ((at) => onPress(message, (before[i] ?? 0) + at))}
              />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface BodyProps {
  content: ShownContent;
  application: number;
  integration: number;
  untitled?: boolean;
}

function Body({ content, application, integration, untitled = false }: BodyProps) {
  const { title, text, runs, media = [], place } = content;
  return (
    <>
      {title !== undefined && !untitled && <p className="font-semibold">{title}</p>}
      {media.map((each, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- files have no id, only a position
        <Media key={i} media={each} application={application} integration={integration} />
      ))}
      {(text !== undefined || runs !== undefined) && <Text content={content} />}
      {place && <Place place={place} />}
    </>
  );
}

function Text({ content: { text, runs } }: Pick<BodyProps, 'content'>) {
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
  if (run.code) {
    node = <code className="rounded-sm bg-hover px-1 font-mono text-sm text-ink">{node}</code>;
  }
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
  buttons: SandboxMessage['buttons'];
  /** Whether quick replies are gone. */
  isAnswered?: boolean;
  /** Undefined if the vendor reports no presses. */
  onPress: ((position: number) => void) | undefined;
}

export function Buttons({ buttons, isAnswered = false, onPress }: ButtonsProps) {
  const shown = (buttons ?? [])
    .map(({ label, url, quick }, i) => ({ label, url, quick, position: i + 1 }))
    .filter(({ quick }) => !quick || !isAnswered);
  if (shown.length === 0) return null;
  return (
    <div className="grid gap-1">
      {shown.map(({ label, url, position }) => (
        <button
          key={position}
          type="button"
          data-testid="phone-button"
          disabled={url !== undefined || !onPress}
          title={url ?? label}
          onClick={() => onPress?.(position)}
          className="flex min-h-9 min-w-0 items-center justify-center gap-1.5 rounded-lg border border-line bg-surface px-3 text-sm font-medium text-accent-text hover:bg-hover disabled:hover:bg-surface"
        >
          <span className="truncate">{label}</span>
          {url !== undefined && <ExternalLink className="size-3.5 shrink-0" aria-hidden />}
        </button>
      ))}
    </div>
  );
}
