import { escape } from '../html.ts';
import { highlight } from './highlight.ts';

/* Code blocks, and the tabs that show the same step in several languages. */

export interface CodeBlock {
  language: string;
  text: string;
}

/** Label of a block that may be a tab. Commands are told apart by what they run. */
export function tabOf({ language, text }: CodeBlock): string | undefined {
  if (language !== 'sh') return TABS[language];
  if (/^(?:[\w]+=\S* )?(?:npm run -s switchboard -- |npx switchboard |switchboard )/.test(text)) {
    return 'CLI';
  }
  return text.startsWith('curl ') ? 'curl' : undefined;
}

const TABS: Readonly<Record<string, string>> = {
  go: 'Go',
  js: 'JavaScript',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  ts: 'TypeScript',
};

/** A block with its label; a script adds the button that copies it. */
export function codeHtml(block: CodeBlock, label?: string): string {
  const code = highlight(block.text.replace(/\n$/, ''), block.language);
  const caption = label === undefined ? '' : `<p class="code-label">${escape(label)}</p>`;
  const tab = label === undefined ? '' : ` data-tab="${escape(label)}"`;
  return `<div class="code"${tab}>${caption}<pre tabindex="0"><code>${code}</code></pre></div>\n`;
}

/** Several languages. Without scripts, all are shown below each other. */
export function tabsHtml(blocks: readonly CodeBlock[]): string {
  const panels = blocks.map((block) => codeHtml(block, tabOf(block))).join('');
  return `<div class="tabs">${panels}</div>\n`;
}
