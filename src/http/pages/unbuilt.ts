import type { Answer } from '../server/route.ts';
import { escape } from './escape.ts';
import { plainPage } from './plain-page.ts';

/* Shown instead of the console or the documentation if these are not built. */

/** The server never sees the code of a sign-in link, which is in the fragment. */
export function unbuiltConsole(baseUrl: string): Answer {
  const command = `curl ${baseUrl}/1/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "THE-CODE"}'`;
  return plainPage(
    'Console not built',
    `<p>The service is running and its <a href="/openapi.json">API</a> works. Only the console is missing. Build it on the server, in the Switchboard folder:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:console</code></pre>
<p>Then reload this page. Do not use <code>npm ci --omit=dev</code>: it skips the build tools.</p>
<h2>Without the console</h2><p>If you opened a sign-in link, the URL contains a code after <code>#code=</code>. It works once, within 24 hours. Exchange it for a token; replace <code>THE-CODE</code>:</p>
<pre tabindex="0"><code>${escape(command)}</code></pre>
<p>Send the token with every request: <code>Authorization: Bearer &lt;token&gt;</code>. It is valid for 14 days. On the server, <code>npm run -s switchboard -- token</code> also prints a token.</p>`,
  );
}

export const UNBUILT_DOCS = plainPage(
  'Documentation not built',
  `<p>The service is running and its <a href="/openapi.json">API</a> works. Only the documentation is missing. Build it on the server, in the Switchboard folder:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:docs</code></pre>
<p>Then reload this page. Do not use <code>npm ci --omit=dev</code>: it skips the build tools. The same pages are Markdown files in the <code>docs</code> folder.</p>`,
);
