import { pageAnswer } from '../pages/answer.ts';
import { errorsPage } from '../pages/errors.ts';
import { referencePage } from '../pages/reference.ts';
import { STYLE } from '../pages/style.ts';
import { type Route, openRoute } from '../route.ts';

const tag = 'Documentation';

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
      handle: () => pageAnswer(referencePage(document())),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/errors',
      tag,
      summary: 'Every error code, for reading',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: () => pageAnswer(errorsPage()),
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
  ];
}
