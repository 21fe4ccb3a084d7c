import { PROBLEMS } from '../model/problem.ts';

/*
 * The reference as a page: made from the OpenAPI document, plain HTML, one style sheet, no script.
 */

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; description?: string; schema: unknown }[];
  requestBody?: {
    required: boolean;
    content: Record<string, { schema: unknown; example?: unknown }>;
  };
  responses: Record<
    string,
    { description?: string; $ref?: string; content?: Record<string, { schema?: unknown }> }
  >;
}

interface Document {
  info: { version: string; description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, unknown>;
    responses: Record<string, { description: string }>;
  };
}

export function referencePage(openApi: Record<string, unknown>): string {
  const document = openApi as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const sections = document.tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2 id="${slug(name)}">${escape(name)}</h2>${own
      .map(({ path, method, operation }) => operationHtml(document, path, method, operation))
      .join('')}</section>`;
  });
  const menu = document.tags
    .map(({ name }) => `<li><a href="#${slug(name)}">${escape(name)}</a></li>`)
    .join('');
  const schemas = Object.entries(document.components.schemas)
    .map(([name, schema]) => `<h3 id="schema-${name}">${name}</h3>${code(schema)}`)
    .join('');
  return layout(
    'Switchboard: API reference',
    `<nav><strong>Switchboard ${escape(document.info.version)}</strong><ul>${menu}<li><a href="#schemas">Schemas</a></li><li><a href="/docs/errors">Errors</a></li><li><a href="/openapi.json">openapi.json</a></li></ul></nav>
<main><h1>API reference</h1>${prose(document.info.description)}${sections.join('')}<section><h2 id="schemas">Schemas</h2>${schemas}</section></main>`,
  );
}

export function errorsPage(): string {
  const rows = Object.entries(PROBLEMS)
    .map(
      ([name, { status, title, help }]) =>
        `<tr id="${name}"><td><code>${name}</code></td><td>${status}</td><td>${inline(title)}.</td><td>${inline(help)}</td></tr>`,
    )
    .join('');
  return layout(
    'Switchboard: errors',
    `<nav><strong>Switchboard</strong><ul><li><a href="/docs">API reference</a></li></ul></nav>
<main><h1>Errors</h1><p>Every error is a problem document (RFC 9457), <code>application/problem+json</code>. A program looks at <code>code</code>; a person reads <code>detail</code>; <code>errors</code> points at the fields; <code>request_id</code> finds it in the log.</p>
<div class="wide"><table><thead><tr><th>code</th><th>status</th><th>what</th><th>what to do</th></tr></thead><tbody>${rows}</tbody></table></div></main>`,
  );
}

/** Where a one-time link leads. The code stays behind the `#`, which no browser sends. */
export function signInPage(baseUrl: string): string {
  const command = `curl ${baseUrl}/1/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "THE-CODE"}'`;
  return layout(
    'Switchboard: sign in',
    `<nav><strong>Switchboard</strong><ul><li><a href="/docs">API reference</a></li></ul></nav>
<main><h1>Sign in</h1><p>The code after <code>#</code> in the address of this page lets you in once, within 24 hours. Put it in the place of <code>THE-CODE</code> to exchange it for a token:</p>
<pre><code>${escape(command)}</code></pre>
<p>Then send the token with every call: <code>Authorization: Bearer &lt;token&gt;</code>. It is valid for 14 days.</p>
<p>The code was used before, or is too old? On the machine of the service, <code>npm run -s switchboard -- token</code> prints a token.</p></main>`,
  );
}

function operationHtml(
  document: Document,
  path: string,
  method: string,
  operation: Operation,
): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } =
    operation;
  const kind = Object.keys(security[0] ?? {})[0];
  const token = kind
    ? `<span class="token">${kind} token</span>`
    : '<span class="token">no token</span>';
  const body = requestBody?.content['application/json'];
  return `<article id="${operationId}"><h3>${escape(summary)}</h3>
<p class="path"><b class="${method.toLowerCase()}">${method}</b> <code>${escape(path)}</code> ${token}</p>
${description ? prose(description) : ''}
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters.map((one) => [`<code>${escape(one.name)}</code>`, one.in, inline(one.description ?? '')]))}` : ''}
${body ? `<h4>Body${requestBody.required ? '' : ' (may be left out)'}</h4>${body.example === undefined ? '' : code(body.example)}<details><summary>Schema</summary>${code(body.schema)}</details>` : ''}
<h4>Answers</h4>${table(Object.entries(responses).map(([status, response]) => [status, answerHtml(document, response)]))}</article>`;
}

function answerHtml(document: Document, response: Operation['responses'][string]): string {
  const named = response.$ref?.split('/').at(-1);
  const description = named
    ? document.components.responses[named]?.description
    : response.description;
  const schema = response.content?.['application/json']?.schema as { $ref?: string } | undefined;
  const title = schema?.$ref?.split('/').at(-1);
  const link = title ? ` <a href="#schema-${title}">${title}</a>` : '';
  return inline(description ?? '') + link;
}

const table = (rows: string[][]): string =>
  `<div class="wide"><table><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
    .join('')}</tbody></table></div>`;

const code = (value: unknown): string =>
  `<pre><code>${escape(JSON.stringify(value, null, 2))}</code></pre>`;

const prose = (text: string): string =>
  text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('');

/** Text with `code` in it. */
const inline = (text: string): string => escape(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function layout(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escape(title)}</title><link rel="stylesheet" href="/docs/style.css"></head>
<body>${content}</body></html>`;
}

export const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --line: #e0e1e6; --back: #fff; --code: #f4f4f7; --accent: #3e63dd; }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba; --line: #363a3f; --back: #111113; --code: #1b1c1f; --accent: #9eb1ff; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; }
body { margin: 0; display: grid; grid-template-columns: 15rem minmax(0, 1fr); font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--back); }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow: auto; padding: 2rem 1.5rem; }
nav ul { list-style: none; margin: 1rem 0; padding: 0; }
nav li { margin: .35rem 0; }
main { max-width: 56rem; min-height: 100vh; padding: 2rem; border-left: 1px solid var(--line); min-width: 0; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
h1 { font-size: 2rem; margin: 0 0 1rem; }
h2 { margin: 3rem 0 1rem; padding-bottom: .4rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 .4rem; }
h4 { margin: 1.2rem 0 .4rem; font-size: .85rem; color: var(--soft); }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, monospace; background: var(--code); padding: .1em .3em; border-radius: 4px; }
pre { background: var(--code); padding: 1rem; border-radius: 8px; overflow: auto; }
pre code { padding: 0; }
.path { margin: 0; }
.path b { font: 600 .8rem ui-monospace, monospace; color: var(--accent); }
.path b.delete { color: #c62a2f; }
.token { font-size: .8rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .6rem; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 500; }
td, th { padding: .4rem 1rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
tr:target { background: var(--code); }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; padding: 1rem 2rem 0; } nav ul { display: flex; flex-wrap: wrap; gap: 0 1rem; } main { border: 0; padding: 1rem 2rem; } thead { display: none; } td { display: block; padding: 0; border: 0; white-space: normal; } tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); } }
`;
