import {
  AudioLines,
  CornerUpLeft,
  ExternalLink,
  File as FileIcon,
  Film,
  Image as ImageIcon,
  type LucideIcon,
  Mail,
  MapPin,
  Pencil,
  Phone,
  Reply,
  Trash2,
} from 'lucide-react';
import { type ReactNode, useMemo } from 'react';

import { OuterLink } from '../../ui/page.tsx';
import { type Block, type DrawnButton, type FileKind, drawMessage } from './drawn.ts';
import { LoadedImage } from './image.tsx';
import { FormattedText } from './runs.tsx';

/** A message as its recipient sees it, in the look of no particular channel. */
export function Bubble({ activity }: { activity: unknown }) {
  const { action, target, quotes, subject, blocks } = useMemo(
    () => drawMessage(activity),
    [activity],
  );
  if (action === 'delete')
    return (
      <Remark icon={Trash2} testId="deletes">
        Deletes message {target}
      </Remark>
    );
  return (
    <div data-testid="bubble" className="flex flex-col items-start gap-1.5">
      {action === 'update' && (
        <Remark icon={Pencil} testId="edits">
          Replaces message {target}
        </Remark>
      )}
      <div className="flex max-w-full flex-col gap-2 rounded-xl rounded-tl-sm bg-accent-soft px-3 py-2 text-base text-ink">
        {quotes !== undefined && (
          <p
            data-testid="quote"
            className="flex items-start gap-1.5 border-l-2 border-accent pl-2 text-sm wrap-anywhere text-ink-soft"
          >
            <CornerUpLeft className="mt-0.5 size-3.5 shrink-0" aria-hidden />
            Reply to message {quotes}
          </p>
        )}
        {subject !== undefined && <p className="font-semibold wrap-anywhere">{subject}</p>}
        {blocks.length === 0 && <p className="text-sm text-ink-soft">No content</p>}
        {blocks.map((block, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- blocks have no id, only a position
          <BlockView key={i} block={block} />
        ))}
      </div>
    </div>
  );
}

interface RemarkProps {
  icon: LucideIcon;
  testId: string;
  children: ReactNode;
}

function Remark({ icon: Icon, testId, children }: RemarkProps) {
  return (
    <p
      data-testid={testId}
      className="flex items-start gap-1.5 text-sm wrap-anywhere text-ink-soft italic"
    >
      <Icon className="mt-0.5 size-3.5 shrink-0" aria-hidden />
      <span>{children}</span>
    </p>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'text':
      return <FormattedText text={block.text} markup={block.markup} />;
    case 'file':
      return <FileView file={block} />;
    case 'place':
      return <PlaceView place={block} />;
    case 'link':
      return (
        <p className="wrap-anywhere">
          <OuterLink href={block.url}>{block.name}</OuterLink>
        </p>
      );
    default:
      return <Buttons buttons={block.buttons} />;
  }
}

const FILES: Record<FileKind, { icon: LucideIcon; label: string }> = {
  image: { icon: ImageIcon, label: 'Image' },
  video: { icon: Film, label: 'Video' },
  audio: { icon: AudioLines, label: 'Audio' },
  document: { icon: FileIcon, label: 'File' },
};

/** Opens in a new tab. An image is drawn as soon as the service has loaded it. */
function FileView({ file }: { file: Extract<Block, { kind: 'file' }> }) {
  const { icon: Icon, label } = FILES[file.type];
  const host = file.url === undefined ? '' : (URL.parse(file.url)?.host ?? '');
  const facts = [label, file.mediaType, host].filter((fact) => fact !== '').join(' · ');
  const isVisual = file.type === 'image' || file.type === 'video';
  const name = file.name || label;
  return (
    <figure data-testid={`file-${file.type}`} className="grid w-72 max-w-full gap-1.5">
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {isVisual && (
          <div className="flex h-44 items-center justify-center border-b border-line bg-sunken text-ink-faint">
            <LoadedImage
              url={file.type === 'image' ? file.url : undefined}
              alt={file.caption || name}
            >
              <Icon className="size-8" strokeWidth={1.25} aria-hidden />
            </LoadedImage>
          </div>
        )}
        <div className="flex items-center gap-2.5 px-3 py-2">
          {!isVisual && <Icon className="size-5 shrink-0 text-ink-soft" aria-hidden />}
          <div className="min-w-0 text-sm">
            <p className="wrap-anywhere">
              {file.url === undefined ? name : <OuterLink href={file.url}>{name}</OuterLink>}
            </p>
            <p className="text-xs wrap-anywhere text-ink-faint">{facts}</p>
          </div>
        </div>
      </div>
      {file.caption !== '' && (
        <figcaption>
          <FormattedText text={file.caption} markup={undefined} />
        </figcaption>
      )}
    </figure>
  );
}

function PlaceView({ place }: { place: Extract<Block, { kind: 'place' }> }) {
  const { name, latitude, longitude, caption } = place;
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <div data-testid="place" className="grid w-72 max-w-full gap-1.5">
      <div className="flex items-start gap-2.5 rounded-lg border border-line bg-surface px-3 py-2 text-sm">
        <MapPin className="mt-0.5 size-5 shrink-0 text-bad" aria-hidden />
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">{name || 'Location'}</p>
          <p className="text-xs text-ink-faint tabular">
            {latitude}, {longitude}
          </p>
          <OuterLink href={map} className="text-xs">
            Show on OpenStreetMap
          </OuterLink>
        </div>
      </div>
      {caption !== '' && <FormattedText text={caption} markup={undefined} />}
    </div>
  );
}

const buttonIcon = ({ url = '' }: DrawnButton): LucideIcon => {
  if (/^tel:/i.test(url)) return Phone;
  if (/^mailto:/i.test(url)) return Mail;
  return url === '' ? Reply : ExternalLink;
};

/** Drawn, not pressed: a press would be an answer of the recipient. */
function Buttons({ buttons }: { buttons: readonly DrawnButton[] }) {
  return (
    <ul aria-label="Buttons" data-testid="buttons" className="flex flex-wrap gap-1.5">
      {buttons.map((button, i) => {
        const Icon = buttonIcon(button);
        return (
          <li
            // oxlint-disable-next-line react/no-array-index-key -- two buttons may be equal
            key={i}
            title={button.url}
            className="inline-flex max-w-full items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2.5 py-1 text-sm font-medium"
          >
            <Icon className="size-3.5 shrink-0 text-ink-soft" aria-hidden />
            <span className="wrap-anywhere">{button.name}</span>
          </li>
        );
      })}
    </ul>
  );
}
