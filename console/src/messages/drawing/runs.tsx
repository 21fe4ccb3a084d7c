import { type ReactNode, useEffect, useState } from 'react';

import type { Look, RichText, Run } from '../../../../src/lib/rich-text/rich-text.ts';
import { OuterLink } from '../../ui/page.tsx';
import { type Markup, safeUrl } from './drawn.ts';

/*
 * Formatted text. The service's own reader turns markup into runs of text, and each run becomes a text node: the
 * browser never parses any part of the message as HTML.
 */

interface FormattedTextProps {
  text: string;
  markup: Markup | undefined;
}

export function FormattedText({ text, markup }: FormattedTextProps) {
  const runs = useRuns(text, markup);
  return (
    <div dir="auto" className="wrap-anywhere whitespace-pre-wrap">
      {runs === undefined ? <Linked text={text} /> : blocksOf(runs)}
    </div>
  );
}

/** Undefined for plain text, and until the reader is loaded. */
function useRuns(text: string, markup: Markup | undefined): RichText | undefined {
  const [read, setRead] = useState<{ text: string; markup: Markup; runs: RichText }>();
  useEffect(() => {
    if (markup === undefined) return undefined;
    let isCurrent = true;
    // Only messages with markup need the reader, so it is loaded on demand.
    void import('../../../../src/lib/rich-text/readers.ts').then(({ readHtml, readMarkdown }) => {
      if (!isCurrent) return;
      setRead({ text, markup, runs: markup === 'html' ? readHtml(text) : readMarkdown(text) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, markup]);
  return read?.text === text && read.markup === markup ? read.runs : undefined;
}

/** Adjacent runs of a code block form one block. */
function blocksOf(runs: RichText): ReactNode[] {
  const nodes: ReactNode[] = [];
  let code: string | undefined;
  const endCode = () => {
    if (code === undefined) return;
    nodes.push(
      <pre
        key={nodes.length}
        className="my-1 overflow-x-auto rounded-md bg-hover px-2 py-1.5 font-mono text-xs"
      >
        {code}
      </pre>,
    );
    code = undefined;
  };
  for (const run of runs) {
    if (run.look.block) {
      code = (code ?? '') + run.text;
      continue;
    }
    endCode();
    nodes.push(<Piece key={nodes.length} run={run} />);
  }
  endCode();
  return nodes;
}

function Piece({ run: { text, look } }: { run: Run }) {
  const url = safeUrl(look.link);
  const content = styled(look.code || url !== undefined ? text : <Linked text={text} />, look);
  return url === undefined ? content : <OuterLink href={url}>{content}</OuterLink>;
}

function styled(content: ReactNode, { bold, italic, strike, code }: Look): ReactNode {
  let node = content;
  if (code) node = <code className="rounded-sm bg-hover px-1 font-mono text-xs">{node}</code>;
  if (strike) node = <s>{node}</s>;
  if (italic) node = <em>{node}</em>;
  if (bold) node = <strong className="font-semibold">{node}</strong>;
  return node;
}

const URLS = /\bhttps?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]]/gi;

/** Messengers turn URLs in a text into links. */
function Linked({ text }: { text: string }) {
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(URLS)) {
    const url = safeUrl(match);
    if (url === undefined) continue;
    nodes.push(
      text.slice(end, index),
      <OuterLink key={index} href={url}>
        {match}
      </OuterLink>,
    );
    end = index + match.length;
  }
  return [...nodes, text.slice(end)];
}
