import { PROBLEMS, type Problem } from '../../model/problem.ts';
import { escape } from './escape.ts';
import { plainPage } from './plain-page.ts';

/** Paths that programs call; errors there are problem documents, even for browsers. */
const API_PATH = /^\/(?:1|console)(?:[/?]|$)/;

/** Whether a person sees the response: browsers name HTML when they open a page, programs do not. */
export const wantsPage = (url: string, accept = ''): boolean =>
  /\btext\/html\b/i.test(accept) && !API_PATH.test(url);

/** Headers and text of an error as a page. */
export function failurePage(problem: Problem, requestId: string) {
  const { title, status, help } = PROBLEMS[problem.code];
  const { text, headers } = plainPage(
    escape(title),
    `<p>${inline(sentence(problem.message))}</p><p>${inline(help)}</p>
<p><a href="/app">Open the console</a>, or read the <a href="/docs">documentation</a>.</p>
<p class="detail">Status ${status}, request id <code>${escape(requestId)}</code></p>`,
  );
  return { text, headers: { ...headers, 'cache-control': 'no-store', vary: 'accept' } };
}

/** Details have no capital letter and no full stop. */
const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** Code in backticks, as in Markdown. */
const inline = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
