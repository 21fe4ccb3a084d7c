import { type ReactNode, useMemo } from 'react';

import { cn } from './cn.ts';
import { CopyButton } from './form/copy.tsx';

interface CodeProps {
  text: string;
  language?: 'json' | 'python' | 'shell' | 'typescript' | 'text';
  /** Text to copy, if it differs from the text shown. */
  copy?: string;
  title?: ReactNode;
  /** Without a maximum height; otherwise long code scrolls. */
  tall?: boolean;
  className?: string;
}

/** Code to read and copy. It is rendered as text, never as markup. */
export function Code({ text, language = 'text', copy, title, tall, className }: CodeProps) {
  const shown = useMemo(() => (language === 'text' ? text : highlight(text)), [text, language]);
  return (
    <figure
      className={cn('group relative min-w-0 rounded-lg border border-line bg-sunken', className)}
    >
      {title !== undefined && (
        <figcaption className="border-b border-line px-3 py-1.5 text-xs font-medium text-ink-faint">
          {title}
        </figcaption>
      )}
      <CopyButton
        text={copy ?? text}
        className={cn('absolute right-1', title === undefined ? 'top-1 bg-sunken' : 'top-px')}
        data-testid="copy-code"
        label="Copy code"
      />
      <pre
        tabIndex={0}
        className={cn(
          'overflow-auto p-3 pr-10 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere',
          tall ? 'max-h-none' : 'max-h-96',
        )}
      >
        <code>{shown}</code>
      </pre>
    </figure>
  );
}

export function Json({
  value,
  ...rest
}: { value: unknown } & Omit<CodeProps, 'text' | 'language'>) {
  return <Code {...rest} language="json" text={JSON.stringify(value, null, 2) ?? ''} />;
}

/** Strings, numbers and keywords; good enough for JSON, Python, shell and TypeScript. */
const PARTS =
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)(?<key>\s*:)?|(?<word>\b(?:true|false|null|True|False|None|import|from|const|await|new|with|as|def|return|curl)\b)|(?<number>-?\b\d+(?:\.\d+)?\b)|(?<comment>(?<=^|\s)\/\/[^\n]*|^#[^\n]*)/gm;

const MAX_HIGHLIGHTED_LENGTH = 60_000;

function highlight(text: string): ReactNode {
  if (text.length > MAX_HIGHLIGHTED_LENGTH) return text;
  const nodes: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(PARTS)) {
    const { string, key, word, number, comment } = match.groups ?? {};
    nodes.push(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (string !== undefined) {
      const tone = key === undefined ? 'text-ok' : 'text-accent-text';
      nodes.push(
        <span key={match.index} className={tone}>
          {string}
        </span>,
        key,
      );
    } else {
      const tone =
        word !== undefined ? 'text-busy' : number !== undefined ? 'text-warn' : 'text-ink-faint';
      nodes.push(
        <span key={match.index} className={tone}>
          {word ?? number ?? comment}
        </span>,
      );
    }
  }
  nodes.push(text.slice(at));
  return nodes;
}
