import type { Answer } from '../server/route.ts';
import { escape } from './escape.ts';

/* Pages shown instead of the console or the documentation if these are not built. They load nothing. */

const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const pageAnswer = (title: string, main: string): Answer => ({
  status: 200,
  text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title} · Switchboard</title></head>
<body><main><h1>${title}</h1>${main}</main></body></html>`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
});

/** The server never sees the code of a sign-in link, which is in the fragment. */
export function unbuiltConsole(baseUrl: string): Answer {
  const command = `curl ${baseUrl}/1/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "THE-CODE"}'`;
  return pageAnswer(
    'Console not built',
    `<p>The service is running and its <a href="/openapi.json">API</a> works. Only the console is missing. Build it on the server, in the Switchboard folder:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:console</code></pre>
<p>Then reload this page. Do not use <code>npm ci --omit=dev</code>: it skips the build tools.</p>
<h2>Without the console</h2><p>If you opened a sign-in link, the URL contains a code after <code>#code=</code>. It works once, within 24 hours. Exchange it for a token; replace <code>THE-CODE</code>:</p>
<pre tabindex="0"><code>${escape(command)}</code></pre>
<p>Send the token with every request: <code>Authorization: Bearer &lt;token&gt;</code>. It is valid for 14 days. On the server, <code>npm run -s switchboard -- token</code> also prints a token.</p>`,
  );
}

export const UNBUILT_DOCS = pageAnswer(
  'Documentation not built',
  `<p>The service is running and its <a href="/openapi.json">API</a> works. Only the documentation is missing. Build it on the server, in the Switchboard folder:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:docs</code></pre>
<p>Then reload this page. Do not use <code>npm ci --omit=dev</code>: it skips the build tools. The same pages are Markdown files in the <code>docs</code> folder.</p>`,
);
