import { escape, layout } from './layout.ts';

/** What is shown in the place of the console where it is not built. The code of a link stays behind the `#`. */
export function unbuiltPage(baseUrl: string): string {
  const command = `curl ${baseUrl}/1/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"code": "THE-CODE"}'`;
  return layout({
    title: 'The console is not built',
    main: `<h1>The console is not built</h1><p>The service runs, and takes every call of its <a href="/docs/reference">interface</a>; only its pages are missing. On the machine of the service, in its folder, this builds them:</p>
<pre tabindex="0"><code>npm ci &amp;&amp; npm run build:console</code></pre>
<p>Then load this page again. <code>npm ci --omit=dev</code> leaves out what builds them.</p>
<h2>Without the console</h2><p>Did a one-time link lead here? What follows <code>#code=</code> in the address of this page lets you in once, within 24 hours. Put it in the place of <code>THE-CODE</code> to exchange it for a token:</p>
<pre tabindex="0"><code>${escape(command)}</code></pre>
<p>Then send the token with every call: <code>Authorization: Bearer &lt;token&gt;</code>. It is valid for 14 days. On the machine of the service, <code>npm run -s switchboard -- token</code> prints a token, too.</p>`,
  });
}
