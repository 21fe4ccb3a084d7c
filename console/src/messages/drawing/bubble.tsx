import { CornerUpLeft, type LucideIcon, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';

import { BlockView } from './blocks.tsx';
import { drawMessage } from './drawn.ts';

/** A message as its recipient sees it, in a style that is specific to no channel. */
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
