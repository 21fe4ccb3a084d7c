import { PROBLEMS } from '../../model/problem.ts';
import { inline, layout } from './layout.ts';

/** All error codes; the `type` of a problem document links here. */
export function errorsPage(): string {
  const rows = Object.entries(PROBLEMS)
    .map(
      ([name, { status, title, help }]) =>
        `<tr id="${name}"><td><code>${name}</code></td><td>${status}</td><td>${inline(title)}.</td><td>${inline(help)}</td></tr>`,
    )
    .join('');
  return layout({
    title: 'Errors',
    name: 'errors',
    main: `<h1>Errors</h1><p>Every error is a problem document (RFC 9457), <code>application/problem+json</code>. Programs check <code>code</code>; people read <code>detail</code>; <code>errors</code> points at the fields; <code>request_id</code> finds the request in the log.</p>
<div class="stacked"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>${rows}</tbody></table></div>
<p class="source"><a href="/docs/errors.md">View as Markdown</a></p>`,
  });
}
