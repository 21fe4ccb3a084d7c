import { useQuery } from '@tanstack/react-query';
import { ChevronRight, ExternalLink } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import type { Channel, ChannelGuide } from '../../api/types.ts';
import { Code } from '../../ui/code.tsx';
import { Button } from '../../ui/form/button.tsx';
import { Skeleton } from '../../ui/list/skeleton.tsx';
import { useMedia } from '../../ui/media.ts';
import { OuterLink } from '../../ui/page.tsx';
import { guideQuery } from '../queries.ts';
import { Disclosure } from './disclosure.tsx';
import { focusField, labelsOf } from './fields.ts';

type Block = ChannelGuide['setup'][number];
type Run = Block['text'][number];

const WIDE = '(min-width: 64rem)';

/** The URL without its scheme. */
const shortAddress = (url: string) => url.replace(/^https?:\/\/(?:www\.)?/, '');

interface SetupGuideProps {
  channel: Channel;
  /** Whether it starts open in a wide window; on phones it starts closed, above the form. */
  open?: boolean;
}

/** The steps to get the credentials of a channel, from its documentation. */
export function SetupGuide({ channel, open = false }: SetupGuideProps) {
  const { data: guide, error } = useQuery(guideQuery(channel.name));
  const isWide = useMedia(WIDE);
  const [isOpen, setIsOpen] = useState<boolean>();
  // The documentation page has the same steps.
  if (error) return <GuideLink channel={channel} />;
  const steps = new Set(guide?.setup.flatMap(({ step }) => step ?? [])).size;
  return (
    <details
      data-testid="guide"
      open={isOpen ?? (open && isWide)}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className="group/guide rounded-lg border border-line bg-surface"
    >
      <summary className="flex cursor-pointer list-none flex-wrap items-baseline gap-x-2 rounded-lg px-4 py-3 hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          className="size-4 shrink-0 self-center text-ink-faint transition-transform group-open/guide:rotate-90"
        />
        <h2 className="font-semibold">Set up {channel.title}</h2>
        {steps > 0 && (
          <span className="text-sm text-ink-faint">
            {steps} {steps === 1 ? 'step' : 'steps'}
          </span>
        )}
      </summary>
      <div className="grid gap-4 border-t border-line p-4 text-sm">
        {channel.dashboard !== null && (
          <Button asChild className="h-auto min-h-8 justify-self-start py-1 whitespace-normal">
            <a
              href={channel.dashboard}
              target="_blank"
              rel="noreferrer noopener"
              data-testid="dashboard"
            >
              <span className="wrap-anywhere">Open {shortAddress(channel.dashboard)}</span>
              <ExternalLink aria-hidden />
              <span className="sr-only"> (in a new tab)</span>
            </a>
          </Button>
        )}
        {guide ? <Blocks blocks={guide.setup} channel={channel} /> : <Skeleton className="h-40" />}
        {guide && guide.troubleshooting.length > 0 && (
          <Disclosure title="Troubleshooting">
            <Blocks blocks={guide.troubleshooting} channel={channel} />
          </Disclosure>
        )}
        <GuideLink channel={channel} />
      </div>
    </details>
  );
}

function GuideLink({ channel: { name, title } }: { channel: Channel }) {
  return (
    <p className="text-sm">
      <OuterLink href={`/docs/channels/${name}`}>{title} documentation</OuterLink>
    </p>
  );
}

/** How to receive messages, from the documentation. */
export function ReceivingGuide({ channel }: { channel: Channel }) {
  const { data: guide } = useQuery(guideQuery(channel.name));
  if (!guide || guide.receiving.length === 0) return null;
  return (
    <Disclosure title={`How ${channel.title} delivers messages`} testId="receiving-guide">
      <div className="grid gap-3 text-sm">
        <Blocks blocks={guide.receiving} channel={channel} />
      </div>
    </Disclosure>
  );
}

interface Step {
  step: number | null;
  blocks: Block[];
}

/** Blocks of one step, or paragraphs between steps. */
function stepsOf(blocks: readonly Block[]): Step[] {
  const found: Step[] = [];
  for (const block of blocks) {
    const last = found.at(-1);
    if (last && last.step === block.step) last.blocks.push(block);
    else found.push({ step: block.step, blocks: [block] });
  }
  return found;
}

function Blocks({ blocks, channel }: { blocks: readonly Block[]; channel: Channel }) {
  return stepsOf(blocks).map(({ step, blocks: own }, i) => {
    const content = own.map((block, at) => (
      // oxlint-disable-next-line react/no-array-index-key -- the guide never changes
      <BlockView key={at} block={block} channel={channel} />
    ));
    return step === null ? (
      // oxlint-disable-next-line react/no-array-index-key -- the guide never changes
      <div key={i} className="grid gap-2 text-ink-soft">
        {content}
      </div>
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- the guide never changes
      <div key={i} className="flex gap-3">
        <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text tabular">
          <span className="sr-only">Step </span>
          {step}
        </span>
        <div className="grid min-w-0 flex-1 gap-2 pt-0.5">{content}</div>
      </div>
    );
  });
}

function BlockView({ block, channel }: { block: Block; channel: Channel }) {
  if (block.type === 'code') {
    return <Code text={block.text.map(({ text }) => text).join('')} />;
  }
  const runs = block.text.map((run, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the guide never changes
    <RunView key={i} run={run} channel={channel} />
  ));
  return block.type === 'item' ? (
    <p className="relative pl-4 text-pretty wrap-anywhere before:absolute before:left-1 before:content-['•']">
      {runs}
    </p>
  ) : (
    <p className="text-pretty wrap-anywhere">{runs}</p>
  );
}

function RunView({ run, channel }: { run: Run; channel: Channel }): ReactNode {
  const { text, style, url, field } = run;
  if (url !== undefined) return <OuterLink href={url}>{shortAddress(text)}</OuterLink>;
  if (field !== undefined) {
    return (
      <button
        type="button"
        title="Go to the field"
        onClick={() => focusField(field)}
        className="rounded-sm bg-sunken px-1 font-medium text-accent-text hover:underline"
      >
        {labelsOf(channel, [field])}
      </button>
    );
  }
  if (style === 'strong') return <strong className="font-semibold text-ink">{text}</strong>;
  if (style === 'code') {
    return <code className="rounded-sm bg-sunken px-1 font-mono text-xs">{text}</code>;
  }
  return text;
}
