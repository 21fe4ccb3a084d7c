import type { ReactNode } from 'react';

const PARTS = /`([^`]+)`|(https?:\/\/[^\s,;)]*[^\s,;.)])/g;

/** Text from the service; renders `code` and URLs. */
export function Prose({ text }: { text: string }): ReactNode {
  const nodes: ReactNode[] = [];
  let at = 0;
  for (const { index, 0: whole, 1: code, 2: address } of text.matchAll(PARTS)) {
    nodes.push(text.slice(at, index));
    at = index + whole.length;
    nodes.push(
      code === undefined ? (
        <span key={index} className="wrap-anywhere">
          {address}
        </span>
      ) : (
        <code key={index} className="rounded-sm bg-sunken px-1 font-mono text-xs">
          {code}
        </code>
      ),
    );
  }
  nodes.push(text.slice(at));
  return nodes;
}
