import { createHash } from 'node:crypto';

import type { Answer } from '../server/route.ts';

/*
 * Pages of the service itself, which work without a build: errors, and what to do if the console or the documentation
 * is missing. They load nothing; the policy allows their one style by its hash.
 */

const STYLE = `:root{color-scheme:light dark;--text:#1c1917;--soft:#57534e;--back:#fafaf9;--line:#e7e5e4;--link:#4338ca}
@media (prefers-color-scheme:dark){:root{--text:#f5f5f4;--soft:#a8a29e;--back:#0c0a09;--line:#292524;--link:#a5b4fc}}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.6 Inter,system-ui,sans-serif}
header{border-bottom:1px solid var(--line);padding:.875rem 1.5rem;font-weight:600}
main{max-width:42rem;margin:0 auto;padding:3rem 1.5rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.3}h2{font-size:1.125rem}a{color:var(--link)}
pre{overflow-x:auto;padding:1rem;border:1px solid var(--line);border-radius:.5rem}
.detail{color:var(--soft);font-size:.875rem}
button{font:inherit;font-weight:500;min-height:2.75rem;padding:.5rem 1.25rem;border:0;border-radius:.5rem;background:var(--link);color:var(--back);cursor:pointer}
button:focus-visible{outline:2px solid var(--link);outline-offset:2px}`;

const HASH = createHash('sha256').update(STYLE).digest('base64');

const policyOf = (forms: "'self'" | "'none'") =>
  `default-src 'none'; style-src 'sha256-${HASH}'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`;

/** `title` and `main` are HTML. `hasForm` allows a form, which posts to the page itself. */
export const plainPage = (
  title: string,
  main: string,
  { hasForm = false }: { hasForm?: boolean } = {},
): Answer & { text: string } => ({
  status: 200,
  text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Switchboard</title><style>${STYLE}</style></head>
<body><header>Switchboard</header><main><h1>${title}</h1>${main}</main></body></html>`,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(hasForm ? "'self'" : "'none'"),
    'referrer-policy': 'no-referrer',
  },
});
