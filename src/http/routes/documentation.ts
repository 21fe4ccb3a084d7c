import { pageAnswer } from '../pages/answer.ts';
import { errorsPage } from '../pages/errors.ts';
import { llmsText, manual, pageOf } from '../pages/manual.ts';
import { referencePage } from '../pages/reference.ts';
import { STYLE } from '../pages/style.ts';
import { type Answer, type Route, notFound, openRoute } from '../server/route.ts';

const tag = 'Documentation';

/** The OpenAPI document and the pages. They describe all routes, including these. */
export function documentationRoutes(document: () => Record<string, unknown>): Route[] {
  return [
    openRoute({
      method: 'GET',
      path: '/openapi.json',
      operationId: 'getOpenApi',
      tag,
      summary: 'Get the OpenAPI document',
      success: { status: 200, description: 'OpenAPI 3.1.', type: 'application/json' },
      handle: () => ({ status: 200, body: document() }),
    }),
    openRoute({
      method: 'GET',
      path: '/docs',
      operationId: 'getDocs',
      tag,
      summary: 'Get the documentation home page',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      problems: ['not_found'],
      handle: () => manualPage(''),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/*',
      operationId: 'getDocsPage',
      tag,
      summary: 'Get a documentation page',
      description: 'With the suffix `.md`, as Markdown.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      problems: ['not_found'],
      handle: ({ params }) => manualPage(params['*'] ?? ''),
    }),
    openRoute({
      method: 'GET',
      path: '/llms.txt',
      operationId: 'getLlmsText',
      tag,
      summary: 'Get the documentation index for programs',
      success: { status: 200, description: 'A list of links.', type: 'text/plain' },
      handle: async (call) => textAnswer('plain', llmsText(await manual(), call.baseUrl())),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/reference',
      operationId: 'getReferencePage',
      tag,
      summary: 'Get the API reference page',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: () => pageAnswer(referencePage(document())),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/errors',
      operationId: 'getErrorsPage',
      tag,
      summary: 'Get the error code page',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: () => pageAnswer(errorsPage()),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/style.css',
      operationId: 'getDocsStyle',
      tag,
      summary: 'Get the style sheet of the documentation',
      success: { status: 200, description: 'A style sheet.', type: 'text/css' },
      handle: () => ({
        status: 200,
        text: STYLE,
        headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'max-age=3600' },
      }),
    }),
  ];
}

async function manualPage(path: string): Promise<Answer> {
  const pages = await manual();
  const source = path.endsWith('.md') ? pages.get(path.slice(0, -'.md'.length)) : undefined;
  if (source !== undefined) return textAnswer('markdown', source);
  const page = pageOf(pages, path.replace(/\/$/, ''));
  if (page === undefined) throw notFound('the page');
  return pageAnswer(page);
}

const textAnswer = (type: 'plain' | 'markdown', text: string): Answer => ({
  status: 200,
  text,
  headers: { 'content-type': `text/${type}; charset=utf-8` },
});
