import {
  AudioLines,
  ExternalLink,
  File as FileIcon,
  Film,
  Image as ImageIcon,
  type LucideIcon,
  Mail,
  MapPin,
  Phone,
  Reply,
} from 'lucide-react';
import { useContext } from 'react';

import { cn } from '../../ui/cn.ts';
import { OuterLink, linkClass } from '../../ui/page.tsx';
import type { Block, DrawnButton, FileKind } from './drawn.ts';
import { DrawnFrom, LoadedImage } from './image.tsx';
import { receivedPath, useSaveFile } from './received-file.ts';
import { FormattedText } from './runs.tsx';

/** A part of a message. */
export function BlockView({ block }: { block: Block }) {
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
  const from = useContext(DrawnFrom);
  const isReceived = receivedPath(file.url, from?.event) !== undefined;
  const host = file.url === undefined || isReceived ? '' : (URL.parse(file.url)?.host ?? '');
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
              <FileName url={file.url} name={name} />
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

/** Opens the file in a new tab. Received files are saved, because their content is untrusted. */
function FileName({ url, name }: { url: string | undefined; name: string }) {
  const from = useContext(DrawnFrom);
  const path = receivedPath(url, from?.event);
  const save = useSaveFile(from?.application);
  if (url === undefined) return name;
  if (path === undefined) return <OuterLink href={url}>{name}</OuterLink>;
  return (
    <button
      type="button"
      data-testid="save-file"
      aria-busy={save.isPending}
      disabled={save.isPending}
      onClick={() => save.mutate({ path, name })}
      className={cn(linkClass, 'text-left wrap-anywhere')}
    >
      {name}
    </button>
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
