import type { DocsFiles } from '../pages/docs-files.ts';
import { llmsText } from '../pages/llms.ts';
import { fileAnswer } from '../pages/static-files.ts';
import { UNBUILT_DOCS } from '../pages/unbuilt.ts';
import { type Answer, type Call, type Route, notFound, openRoute } from '../server/route.ts';

const tag = 'Documentation';

/** Only the documentation's own scripts run, and they talk to this service only. Injected markup cannot run scripts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The OpenAPI document and the pages. They describe all routes, including these. */
export function documentationRoutes(
  docs: DocsFiles,
  document: () => Record<string, unknown>,
): Route[] {
  async function pageAnswer(path: string, { headers }: Call<unknown, unknown>): Promise<Answer> {
    const source = path.endsWith('.md')
      ? await docs.source(path.slice(0, -'.md'.length))
      : undefined;
    if (source !== undefined) return textAnswer(200, 'markdown', source);
    const page = await docs.page(path.replace(/\/$/, ''));
    if (page !== undefined) return textAnswer(200, 'html', page);
    const unknownPage = await docs.notFound();
    if (unknownPage === undefined) return UNBUILT_DOCS;
    // People get a page with links; programs get a problem document.
    if (!headers.accept?.includes('text/html')) throw notFound('the page');
    return textAnswer(404, 'html', unknownPage);
  }

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
      description: 'If the documentation is not built, the page explains how to build it.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      handle: (call) => pageAnswer('', call),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/*',
      operationId: 'getDocsPage',
      tag,
      summary: 'Get a documentation page',
      description:
        'With the suffix `.md`, as Markdown. An unknown page is a page with status 404 for browsers, and a problem document for programs.',
      success: { status: 200, description: 'A page.', type: 'text/html' },
      problems: ['not_found'],
      handle: (call) => pageAnswer(call.params['*'] ?? '', call),
    }),
    openRoute({
      method: 'GET',
      path: '/docs/assets/:file',
      operationId: 'getDocsAsset',
      tag,
      summary: 'Get an asset of the documentation',
      success: {
        status: 200,
        description: 'A script, style sheet or search index.',
        type: '*/*',
        headers: ['ETag'],
      },
      alternative: { status: 304, description: 'Not modified.' },
      problems: ['not_found'],
      async handle(call) {
        const file = await docs.asset(call.params['file'] ?? '');
        if (!file) throw notFound('the file');
        return fileAnswer(call, file);
      },
    }),
    openRoute({
      method: 'GET',
      path: '/llms.txt',
      operationId: 'getLlmsText',
      tag,
      summary: 'Get the documentation index for programs',
      success: { status: 200, description: 'A list of links.', type: 'text/plain' },
      handle: (call) => textAnswer(200, 'plain', llmsText(call.baseUrl())),
    }),
  ];
}

const textAnswer = (status: number, type: 'html' | 'plain' | 'markdown', text: string): Answer => ({
  status,
  text,
  headers: {
    'content-type': `text/${type}; charset=utf-8`,
    ...(type === 'html' && {
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
    }),
  },
});
