import { escape, layout } from './layout.ts';

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
