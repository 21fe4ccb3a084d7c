import { CornerUpLeft } from 'lucide-react';
import { useMemo } from 'react';

import { BlockView } from '../messages/drawing/blocks.tsx';
import { type Block, drawMessage } from '../messages/drawing/drawn.ts';
import { DrawnFrom } from '../messages/drawing/image.tsx';
import { SentTemplate } from './sent-template.tsx';
import type { ShownEntry } from './shown-entries.ts';

interface EntryContentProps {
  application: number;
  entry: ShownEntry;
  /** Leaves out the title, if it is shown elsewhere, such as the subject of an email. */
  untitled?: boolean;
}

/** The content of a message, without its frame. */
export function EntryContent({ application, entry, untitled = false }: EntryContentProps) {
  const { activity, message, event, isDeleted, quote } = entry;
  const drawn = useMemo(() => drawMessage(activity), [activity]);
  const source = useMemo(
    () => ({
      application,
      ...(message && { message: message.id }),
      ...(event && { event: event.id }),
    }),
    [application, message, event],
  );
  const { action, target, subject } = drawn;
  if (isDeleted) return <p className="text-ink-soft italic">Message deleted</p>;
  if (action === 'delete') return <p className="text-ink-soft italic">Deletes message {target}</p>;
  // A template takes the place of the text.
  const { template } = message ?? {};
  const blocks = message
    ? drawn.blocks.filter(({ kind }) => kind !== 'text' || !template)
    : withoutPress(drawn.blocks);
  return (
    <DrawnFrom value={source}>
      {action === 'update' && (
        <p className="text-sm text-ink-soft italic">Replaces message {target}</p>
      )}
      {quote !== undefined && (
        <p
          data-testid="quote"
          className="flex items-start gap-1.5 border-l-2 border-accent pl-2 text-sm text-ink-soft"
        >
          <CornerUpLeft className="mt-0.5 size-3.5 shrink-0" aria-hidden />
          <span className="line-clamp-2 wrap-anywhere">{quote}</span>
        </p>
      )}
      {subject !== undefined && !untitled && (
        <p className="font-semibold wrap-anywhere">{subject}</p>
      )}
      {message && template ? (
        <SentTemplate
          application={application}
          integration={message.integration_id}
          template={template}
        />
      ) : (
        blocks.length === 0 && <p className="text-sm text-ink-soft">No content</p>
      )}
      {blocks.map((block, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- blocks have no id, only a position
        <BlockView key={i} block={block} />
      ))}
    </DrawnFrom>
  );
}

/** The subject of an email. */
export const subjectOf = ({ activity }: ShownEntry): string | undefined =>
  drawMessage(activity).subject;

/** Removes a pressed button whose name is already the text. */
function withoutPress(blocks: readonly Block[]): readonly Block[] {
  const texts = new Set(blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])));
  return blocks.filter(
    (block) => block.kind !== 'buttons' || block.buttons.some(({ name }) => !texts.has(name)),
  );
}
