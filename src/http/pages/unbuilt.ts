import { escape, layout } from './layout.ts';

/** Shown if the console is not built. The code of a link stays behind the `#`. */
export function unbuiltPage(baseUrl: string): string {
  const command = `curl ${baseUrl}/1/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "THE-CODE"}'`;
  return layout({
    title: 'Console not built',
    main: `<h1>Console not built</h1><p>The service is running and its <a href="/docs/reference">API</a> works; only the console pages are missing. Build them on the machine of the service, in its folder:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:console</code></pre>
<p>Then reload this page. <code>npm ci --omit=dev</code> skips the build tools.</p>
<h2>Without the console</h2><p>Did a sign-in link bring you here? The code after <code>#code=</code> in the address signs you in once, within 24 hours. Exchange it for a token, in place of <code>THE-CODE</code>:</p>
<pre tabindex="0"><code>${escape(command)}</code></pre>
<p>Send the token with every request: <code>Authorization: Bearer &lt;token&gt;</code>. It is valid for 14 days. On the machine of the service, <code>npm run -s switchboard -- token</code> also prints a token.</p>`,
  });
}
