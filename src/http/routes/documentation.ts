import { errorsPage } from '../pages/errors.ts';
import { referencePage } from '../pages/reference.ts';
import { signInPage } from '../pages/sign-in.ts';
import { STYLE } from '../pages/style.ts';
import { type Answer, type Route, openRoute } from '../route.ts';

const tag = 'Documentation';

/** Nothing on these pages comes from elsewhere, or runs. */
const POLICY =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const page = (text: string): Answer => ({
  status: 200,
  text,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
});

/** The document and its pages. They describe all routes, these included. */
export function documentationRoutes(document: () => Record<string, unknown>): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/openapi.json',
      tag,
      summary: 'This document',
      success: { status: 200, description: 'OpenAPI 3.1.', type: 'application/json' },
      handle: () => ({ status: 200, body: document() }),
    }),
    openRoute({
      method: 'GET',
      path: '/docs',
      tag,
      summary: 'The reference, for reading',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: () => page(referencePage(document())),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/errors',
      tag,
      summary: 'Every error code, for reading',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: () => page(errorsPage()),
    }),
    openRoute({
      method: 'GET',
      path: '/sign-in',
      tag,
      summary: 'Where a one-time link leads',
      description: 'Says how the code after `#` is exchanged for a token.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: (call) => page(signInPage(call.baseUrl())),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/style.css',
      tag,
      summary: 'How the pages look',
      success: { status: 200, description: 'A style sheet.', type: 'text/css' },
      handle: () => ({
        status: 200,
        text: STYLE,
        headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' },
      }),
    }),
    openRoute({
      method: 'GET',
      path: '/',
      tag,
      summary: 'Leads to the reference',
      success: { status: 302, description: 'Found at `/docs`.' },
      handle: () => ({ status: 302, headers: { location: '/docs' } }),
    }),
  ];
}
